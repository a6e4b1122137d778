import type { FastifyRequest } from 'fastify';
import { ProblemError } from '../http/problem-error.ts';
import { type Principal, visibleNamespaces } from './principal.ts';

/** A request that was let in, with what recognises its caller. */
type LetIn = Pick<FastifyRequest, 'method' | 'headers' | 'principal'> & {
  readonly server: { readonly requestGate: Pick<FastifyRequest['server']['requestGate'], 'callerOf'> };
};

/**
 * Refuses to go on with an answer that takes as long as its reader likes, once its caller may view less than it was let in
 * with, or has no valid token any more. Whose token cannot be asked about now is asked about with the next part.
 *
 * @throws ProblemError
 */
export async function requireStillLetIn({ method, headers, principal, server }: LetIn): Promise<void> {
  if (principal === undefined) return;
  const caller = await server.requestGate
    .callerOf({ method, headers })
    .catch((error: unknown) => unlessUnanswered(error, principal));
  if (caller !== undefined && caller !== 'CrossOrigin' && maySeeAllOf(caller, principal)) return;
  throw new ProblemError({
    status: 401,
    code: 'Unauthenticated',
    detail: 'the token is no longer valid, or may view less',
  });
}

/** The caller stays whom it was let in as. */
function unlessUnanswered(error: unknown, principal: Principal): Principal {
  if (error instanceof ProblemError) return principal;
  throw error;
}

function maySeeAllOf(caller: Principal, before: Principal): boolean {
  const [now, then] = [visibleNamespaces(caller, 'viewer'), visibleNamespaces(before, 'viewer')];
  if (now.kind === 'All') return true;
  return then.kind === 'Some' && then.patterns.every((pattern) => now.patterns.includes(pattern));
}
