import type { CombinedError } from 'urql';
import { problems } from '../messages/problems.ts';
import { UnreadableAnswer } from './readable-answer.ts';

/**
 * Why there is no answer, named by what the reader can do. Unreachable: wait, it is asked again. SignedOut: sign in.
 * Refused: ask something else. Broken: our error; the log of the server has its id.
 */
export interface Problem {
  readonly kind: 'Unreachable' | 'SignedOut' | 'Refused' | 'Broken';
  readonly message: string;
  /** `extensions.code` of the API; absent: the answer had none. */
  readonly code?: string;
}

const unreachable: Problem = { kind: 'Unreachable', message: problems.unreachable };
const cutOff: Problem = { kind: 'Unreachable', message: problems.cutOff };

/** An answer without data and without errors. */
export const emptyAnswer: Problem = { kind: 'Broken', message: problems.empty };

/** The code of what was refused before anything was looked at. */
export const tooManyRequests = 'TooManyRequests';

/** What an error of the client is to its reader. */
export function problemOf(error: CombinedError): Problem {
  const response = error.response as Response | undefined;
  if (response?.status === 401)
    return { kind: 'SignedOut', message: problems.ended, code: 'Unauthenticated' };
  const [first] = error.graphQLErrors;
  if (first !== undefined) {
    const code = first.extensions['code'];
    const known = typeof code === 'string' ? code : undefined;
    return { kind: kindOf(known), message: first.message, ...(known === undefined ? {} : { code: known }) };
  }
  if (error.networkError instanceof UnreadableAnswer) return problemOfAnswer(error.networkError);
  return response === undefined ? unreachable : problemOfResponse(response);
}

/** The code of what the database had to answer, and did not. */
export const databaseUnavailable = 'DatabaseUnavailable';

/** The code of what is damaged in the database. */
export const databaseCorrupt = 'DatabaseCorrupt';

const unreachableCodes: ReadonlySet<string> = new Set([
  'Unavailable',
  databaseUnavailable,
  databaseCorrupt,
  'DeadlineExceeded',
]);

/** By `extensions.code`: all but these refuse what was asked, before anything is done. */
function kindOf(code: string | undefined): Problem['kind'] {
  if (code === undefined || code === 'InternalError') return 'Broken';
  return unreachableCodes.has(code) ? 'Unreachable' : 'Refused';
}

/** Of data that is not what was asked for. */
function problemOfAnswer({ path }: UnreadableAnswer): Problem {
  return path === '' ? cutOff : { kind: 'Unreachable', message: problems.otherThanAsked(path) };
}

/** Of an answer that is none of the API's, or not whole. */
function problemOfResponse({ ok, status }: Response): Problem {
  if (ok) return cutOff;
  // Before anything is looked at: of an action, nothing was done.
  if (status === 429) return { kind: 'Refused', message: problems.tooMany, code: tooManyRequests };
  return { kind: 'Unreachable', message: status === 503 ? problems.notReady : problems.status(status) };
}

/** What a refusal of the REST API says, or its status. */
export async function detailOf(answer: Response): Promise<string> {
  const problem: unknown = await answer.json().catch(() => undefined);
  const detail = typeof problem === 'object' && problem !== null && 'detail' in problem ? problem.detail : '';
  return typeof detail === 'string' && detail !== '' ? detail : problems.status(answer.status);
}
