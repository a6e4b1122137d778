import { namespacedName } from '#kernel';
import type { PolicyKey } from '#ledger';
import type { PolicyHistory } from '../../admin/history/policy-history.ts';
import { QueryError } from '../../admin/requests/query-error.ts';
import type { Principal } from '../../auth/callers/principal.ts';
import { ProblemError } from '../../http/problem-error.ts';

/** Why there is no decision of a policy: nothing is decided yet, or no such policy is or was in force. */
export async function noDecision(
  history: Pick<PolicyHistory, 'listVersions'>,
  caller: Principal,
  policy: PolicyKey,
): Promise<QueryError | ProblemError> {
  const name = namespacedName(policy);
  const { items } = await history.listVersions(caller, { first: 1 }, policy);
  return items.length === 0
    ? new QueryError('UnknownPolicy', `no policy ${name} is or was in force`)
    : new ProblemError({
        status: 404,
        code: 'UnknownDecision',
        detail: `nothing is decided yet for ${name}`,
      });
}
