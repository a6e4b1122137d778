import { namespacedName } from '#kernel';
import type { ActivePoliciesPort, NativeAutoscalersPort, OwnedAutoscaler, Reconciler } from '#reconciliation';
import type { Shards } from '../coordination/shards.ts';
import type { PolicyReports } from './policy-reports.ts';

export interface OrphanedHpasOptions {
  readonly reconciler: Pick<Reconciler, 'listOrphanedHpas'>;
  readonly nativeAutoscalers: Pick<NativeAutoscalersPort, 'listOwned'>;
  readonly activePolicies: ActivePoliciesPort;
  readonly shards: Pick<Shards, 'holds'>;
  readonly reports: Pick<PolicyReports, 'known'>;
}

/** The HPAs that Plimsoll made and that no policy in force explains, whichever replica would decide the policy. */
export class OrphanedHpas {
  readonly #options: OrphanedHpasOptions;

  constructor(options: OrphanedHpasOptions) {
    this.#options = options;
  }

  /** By name. */
  async list(): Promise<readonly OwnedAutoscaler[]> {
    const orphans = [...this.#options.reconciler.listOrphanedHpas(), ...(await this.#ofOthers())];
    return orphans.sort((one, other) => (namespacedName(one) < namespacedName(other) ? -1 : 1));
  }

  /** Of policies that another replica would decide: neither in force, nor stored as on their way in or out. */
  async #ofOthers(): Promise<readonly OwnedAutoscaler[]> {
    const { nativeAutoscalers, activePolicies, shards, reports } = this.#options;
    const others = nativeAutoscalers
      .listOwned()
      .filter((hpa) => hpa.policy === namespacedName(hpa) && !shards.holds(hpa));
    if (others.length === 0) return [];
    const active = new Set(activePolicies.listActivePolicies().map(({ policy }) => namespacedName(policy)));
    const unexplained = others.filter((hpa) => !active.has(namespacedName(hpa)));
    const known = await reports.known(unexplained);
    return unexplained.filter((hpa) => !known.has(namespacedName(hpa)));
  }
}
