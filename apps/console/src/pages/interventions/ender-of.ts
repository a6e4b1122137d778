import type { RequiredRole } from '../../components/actions/required-role.ts';
import type { EndedIntervention } from './intervention-requests.ts';
import { operatorOf } from './intervention-scope.ts';

/** Who may end all of them: of those of sources, the server says of each whether the caller may. */
export function enderOf(interventions: readonly EndedIntervention[]): RequiredRole {
  const scopes = interventions.map(({ scope, viewerRoles }) => operatorOf(scope, viewerRoles));
  const forbidden = scopes.find(
    (required) => 'roles' in required && required.roles?.includes('operator') === false,
  );
  if (forbidden !== undefined) return forbidden;
  const namespaces = scopes.flatMap((required) => ('namespaces' in required ? required.namespaces : []));
  return namespaces.length === 0 && scopes[0] !== undefined ? scopes[0] : { role: 'operator', namespaces };
}
