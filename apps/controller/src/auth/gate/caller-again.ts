import type { FoundCaller, Principal } from '../callers/principal.ts';

/**
 * Where a caller keeps what tells anew whose its request is. No `WeakMap`: what a long-lived one holds by a young key
 * outlives V8's young generation with the whole of its request, until the next full collection.
 */
const question = Symbol('question');

interface LetInCaller extends Principal {
  readonly [question]?: () => Promise<FoundCaller>;
}

/** The caller of one request, of whom {@link callerAgain} asks anew. */
export function letInAs(principal: Principal, ask: () => Promise<FoundCaller>): Principal {
  return Object.defineProperty({ ...principal }, question, { value: ask });
}

/**
 * The caller of a request as it is now, with what it may do now: an action may have waited for its turn. Who came with no
 * request, as in a test, stays as it was. Null: the token was revoked or has expired meanwhile.
 *
 * @throws ProblemError where nobody can tell now
 */
export async function callerAgain(principal: LetInCaller): Promise<Principal | null> {
  const ask = principal[question];
  if (ask === undefined) return principal;
  const caller = await ask();
  const isSame = caller !== undefined && caller !== 'CrossOrigin' && caller.name === principal.name;
  return isSame ? caller : null;
}
