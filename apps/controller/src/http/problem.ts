import { STATUS_CODES } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Problem as WireProblem } from '#contracts';

/** A refusal in the form of RFC 9457; `code` is stable and machine-read, `detail` is for people. */
export type Problem = Pick<WireProblem, 'status' | 'code' | 'detail' | 'effect' | 'standing' | 'bound'>;

/** When what is not there may be there again, as `Retry-After` has it. */
export const retryAfterSeconds = '30';

/** Answers with `application/problem+json`, as every refusal outside GraphQL does. */
export function sendProblem(reply: FastifyReply, problem: Problem): FastifyReply {
  const { status } = problem;
  if (status === 401) void reply.header('www-authenticate', 'Bearer realm="plimsoll"');
  if (status === 429) void reply.header('retry-after', '1');
  if (status === 503 && mayPass(reply.request, problem) && !reply.hasHeader('retry-after'))
    void reply.header('retry-after', retryAfterSeconds);
  return reply.code(status).type('application/problem+json').send(problemDocument(problem));
}

/** The code of what is damaged: asking again does not help. */
export const databaseCorrupt = 'DatabaseCorrupt';

/** Whether to ask again later may help, and does no harm. */
function mayPass(request: FastifyRequest, problem: Problem): boolean {
  return problem.code !== databaseCorrupt && !mayBeDone(request, problem);
}

const unknownOutcomes: ReadonlySet<string> = new Set(['OutcomeUnknown', 'DeadlineExceeded']);

/**
 * Whether what was asked for may have been carried out, and would be once more: clients that ask again by themselves are
 * not invited to. A key says that it is the same request.
 */
export function mayBeDone(
  { method, headers }: Pick<FastifyRequest, 'method' | 'headers'>,
  { code }: Pick<Problem, 'code'>,
): boolean {
  if (method === 'GET' || method === 'HEAD' || headers['idempotency-key'] !== undefined) return false;
  return unknownOutcomes.has(code);
}

/** Whether the answer is shown to a person: a browser goes to the address, and no script asks. */
export function isForPerson({ accept }: FastifyRequest['headers']): boolean {
  return accept?.includes('text/html') === true;
}

/** `about:blank`: the title is what the status is called. */
export function problemDocument(problem: Problem): WireProblem {
  return { type: 'about:blank', title: STATUS_CODES[problem.status] ?? 'Problem', ...problem };
}

/** The words for a status that says it all. */
export function httpProblem(status: number): Problem {
  return problems[status] ?? { status, code: 'BadRequest', detail: 'the request cannot be read' };
}

/** A GraphQL query is text; beyond this it is something else. */
export const maximumBodyBytes = 256 * 1024;

const problems: Readonly<Record<number, Problem>> = {
  403: { status: 403, code: 'Forbidden', detail: 'the role of the token does not allow it' },
  404: { status: 404, code: 'NotFound', detail: 'there is nothing at this path' },
  413: {
    status: 413,
    code: 'BodyTooLarge',
    detail: `the body is larger than ${maximumBodyBytes / 1024} KiB`,
  },
  414: { status: 414, code: 'PathTooLong', detail: 'the path is too long' },
  415: { status: 415, code: 'UnsupportedMediaType', detail: 'the body must be application/json' },
};
