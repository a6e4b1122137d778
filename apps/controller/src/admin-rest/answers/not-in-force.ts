import { namespacedName } from '#kernel';
import type { PolicyKey } from '#ledger';
import { QueryError } from '../../admin/requests/query-error.ts';

/** Says that a policy is not in force, or was not at a time: `when` begins with a space. */
export function notInForce(policy: PolicyKey, when = ''): QueryError {
  const verb = when === '' ? 'is' : 'was';
  return new QueryError('UnknownPolicy', `no policy ${namespacedName(policy)} ${verb} in force${when}`);
}
