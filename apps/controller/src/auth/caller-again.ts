import { QueryError } from '../admin/query-error.ts';
import type { FoundCaller, Principal } from './principal.ts';

/** What tells anew whose a request is, by the caller that it was let in as. */
const questions = new WeakMap<Principal, () => Promise<FoundCaller>>();

/** The caller of one request, of whom {@link callerAgain} asks anew. */
export function letInAs(principal: Principal, ask: () => Promise<FoundCaller>): Principal {
  const caller = { ...principal };
  questions.set(caller, ask);
  return caller;
}

/**
 * The caller of a request as it is now, with what it may do now: an action may have waited for its turn. Who came with no
 * request, as in a test, stays as it was.
 *
 * @throws QueryError `Forbidden` where the token was revoked or has expired meanwhile
 * @throws ProblemError where nobody can tell now
 */
export async function callerAgain(principal: Principal): Promise<Principal> {
  const ask = questions.get(principal);
  if (ask === undefined) return principal;
  const caller = await ask();
  if (caller !== undefined && caller !== 'CrossOrigin' && caller.name === principal.name) return caller;
  throw new QueryError('Forbidden', `the token of ${principal.name} is no longer valid; nothing was done`);
}
