import { hash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { apiPrefix, type Operation, operations } from '#contracts';
import { ProblemError } from '../../http/problem-error.ts';

/** The ETag of a representation: strong, since its bytes are what is hashed. */
export function entityTagOf(text: string): string {
  return `"${hash('sha256', text, 'base64url').slice(0, 27)}"`;
}

/** Weakly compared, as RFC 9110 has it for `If-None-Match`. */
export function isNamedWeakly(header: string | undefined, tag: string): boolean {
  const named = tagsIn(header).map((each) => each.replace(/^W\//, ''));
  return named.includes(tag) || named.includes('*');
}

/**
 * Holds an action on a thing to what its caller knows of it: `If-Match` names the state that is acted on, `If-None-Match`
 * the one that is not.
 *
 * @param current is the thing as a read of the same address has it.
 * @see RFC 9110, 13.2.2
 * @throws ProblemError `PreconditionFailed`
 */
export function requireState(headers: IncomingHttpHeaders, current: unknown): void {
  const tag = entityTagOf(JSON.stringify(current));
  const wanted = tagsIn(headers['if-match']);
  const isWanted = headers['if-match'] === undefined || wanted.includes(tag) || wanted.includes('*');
  if (isWanted && !isNamedWeakly(headers['if-none-match'], tag)) return;
  throw preconditionFailed(`its ETag is ${tag} now, and nothing was done: read it again`);
}

/**
 * Refuses `If-Match` of what acts on nothing that is read at the same address: passed over, it would be carried out
 * whatever the state is. To be called once, before the application is initialised.
 */
export function refuseUnmetPreconditions(server: FastifyInstance): void {
  server.addHook('preHandler', async ({ method, headers, routeOptions }) => {
    await Promise.resolve();
    const isSafe = method === 'GET' || method === 'HEAD';
    if (headers['if-match'] === undefined || isSafe || readRoutes.has(routeOptions.url ?? '')) return;
    throw preconditionFailed(
      'If-Match is for an action on what is read at the same address; nothing was done: send it without, and what a dry run said as confirm',
    );
  });
}

/** Where one thing is read: whatever acts on it at the same address is held to its ETag by {@link requireState}. */
const readRoutes: ReadonlySet<string> = new Set(
  Object.values<Operation>(operations)
    .filter(({ kind }) => kind === 'Read')
    .map(({ path }) => `${apiPrefix}${path.replaceAll(/\{([a-z]+)\}/g, ':$1')}`),
);

function tagsIn(header: string | undefined): readonly string[] {
  return header?.split(',').map((each) => each.trim()) ?? [];
}

function preconditionFailed(detail: string): ProblemError {
  return new ProblemError({ status: 412, code: 'PreconditionFailed', detail });
}
