import { namespacedName } from '#kernel';
import { type InterventionScope, type PolicyKey, scopeName } from '#ledger';
import { type ActivePoliciesPort, scopesOf } from '#reconciliation';
import { mayAct, type Principal } from '../../auth/callers/principal.ts';
import type { SourceOperations } from '../../git-sync/source-operations.ts';
import { indexOfActive } from './active-index.ts';

export interface PolicyScopesPorts {
  readonly activePolicies: ActivePoliciesPort;
  readonly sources: Pick<SourceOperations, 'listVersions'>;
}

/** What of more than one policy a policy is in: an operator who acts on that acts on the policy. */
export class PolicyScopes {
  readonly #ports: PolicyScopesPorts;

  constructor(ports: PolicyScopesPorts) {
    this.#ports = ports;
  }

  /**
   * The names of those scopes that the caller may view whole: the policy's namespace, and, of one who may view all of them,
   * the source, the sources of its metrics and the cluster. None of a policy that never was in force: it is a slip.
   */
  async namesOf(caller: Principal, policy: PolicyKey): Promise<readonly string[]> {
    const scopes = await this.#scopesOf(policy);
    const visible = mayAct(caller, 'viewer', null)
      ? scopes
      : scopes.filter(({ kind }) => kind === 'Namespace');
    return [...new Set(visible.map(scopeName))];
  }

  /** Of a policy that has left, of its last version; the metrics that it had are not asked for. */
  async #scopesOf(policy: PolicyKey): Promise<readonly InterventionScope[]> {
    const { activePolicies, sources } = this.#ports;
    const active = indexOfActive(activePolicies.listActivePolicies()).byKey.get(namespacedName(policy));
    if (active !== undefined) return scopesOf(active).filter(({ kind }) => kind !== 'Policy');
    const [[last] = []] = await sources.listVersions([{ ...policy, limit: 1 }]);
    if (last === undefined) return [];
    const { namespace } = policy;
    return [
      { kind: 'Namespace', namespace },
      { kind: 'Source', source: last.version.source },
      { kind: 'Cluster' },
    ];
  }
}
