import type { FastifyReply } from 'fastify';

/** A refusal in the form of RFC 9457; `code` is stable and machine-read. */
export interface Problem {
  readonly status: number;
  readonly code: string;
  readonly title: string;
}

/** Answers with `application/problem+json`, as every refusal outside GraphQL does. */
export function sendProblem(reply: FastifyReply, { status, code, title }: Problem): FastifyReply {
  if (status === 401) void reply.header('www-authenticate', 'Bearer realm="plimsoll"');
  if (status === 429) void reply.header('retry-after', '1');
  if (status === 503) void reply.header('retry-after', '30');
  return reply
    .code(status)
    .type('application/problem+json')
    .send({ type: 'about:blank', status, code, title });
}
