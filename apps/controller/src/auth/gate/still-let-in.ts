import type { FastifyRequest } from 'fastify';
import { ProblemError } from '../../http/problem-error.ts';
import { type FoundCaller, type Principal, visibleNamespaces } from '../callers/principal.ts';
import { unauthenticated } from '../callers/refusal-problems.ts';
import type { RequestGate } from './request-gate.ts';

/** So long somebody stays let in where nobody can tell whose the token is: the API server is busy for less, or restarts. */
const unansweredMilliseconds = 30_000;

/** Since when nobody can tell, by what was let in; monotonic. */
const unansweredSince = new WeakMap<object, number>();

/** Whose something is that was let in. `Unanswered`: nobody can tell now, and it stays whose it was. */
type CallerNow = FoundCaller | 'Unanswered';

/**
 * What comes of asking again whose something is that was let in, and lasts as long as its reader likes.
 *
 * @param now is monotonic, in milliseconds; for tests.
 * @throws ProblemError where nobody could tell for half a minute
 */
export async function callerNow(
  letIn: object,
  answer: Promise<FoundCaller>,
  now: number = performance.now(),
): Promise<CallerNow> {
  try {
    const caller = await answer;
    unansweredSince.delete(letIn);
    return caller;
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
    const since = unansweredSince.get(letIn) ?? now;
    unansweredSince.set(letIn, since);
    if (now - since >= unansweredMilliseconds) throw error;
    return 'Unanswered';
  }
}

/** A request that was let in, with what recognises its caller. */
type LetIn = Pick<FastifyRequest, 'method' | 'headers' | 'principal'> & {
  readonly server: { readonly requestGate: Pick<RequestGate, 'callerOf'> };
};

/**
 * Refuses to go on with an answer that takes as long as its reader likes, once its caller may view less than it was let in
 * with, or has no valid token any more. Whose token cannot be asked about now is asked about with the next part.
 *
 * @throws ProblemError
 */
export async function requireStillLetIn(request: LetIn): Promise<void> {
  const { method, headers, principal, server } = request;
  if (principal === undefined) return;
  const caller = await callerNow(request, server.requestGate.callerOf({ method, headers }));
  if (caller === 'Unanswered') return;
  if (caller !== undefined && caller !== 'CrossOrigin' && maySeeAllOf(caller, principal)) return;
  throw new ProblemError({ ...unauthenticated, detail: 'the token is no longer valid, or may view less' });
}

function maySeeAllOf(caller: Principal, before: Principal): boolean {
  const [now, then] = [visibleNamespaces(caller, 'viewer'), visibleNamespaces(before, 'viewer')];
  if (now.kind === 'All') return true;
  return then.kind === 'Some' && then.patterns.every((pattern) => now.patterns.includes(pattern));
}
