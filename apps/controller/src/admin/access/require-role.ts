import { mayAct, type Principal, type Role } from '../../auth/callers/principal.ts';
import { QueryError } from '../requests/query-error.ts';

/**
 * Refuses a caller without a role in a namespace; `null`: in all of them. To be asked only of what the caller may see:
 * what it may not see is answered as what does not exist.
 *
 * @throws QueryError `Forbidden`
 */
export function requireRole(caller: Principal, role: Role, namespace: string | null): void {
  if (mayAct(caller, role, namespace)) return;
  const place = namespace === null ? 'all namespaces' : `namespace ${namespace}`;
  throw new QueryError('Forbidden', `${caller.name} does not have role ${role} in ${place}`);
}
