import { namespacedName } from '#kernel';
import type { LedgerPort, PolicyKey } from '#ledger';
import {
  type ActivePoliciesPort,
  type ActivePolicy,
  type ClockPort,
  hpaOutOfReach,
  keptHpa,
  listRecordedHpas,
  loadKeptHpas,
  managesNamespace,
  type NativeAutoscalersPort,
  type OrphanedHpa,
  type OwnedAutoscaler,
  type Reconciler,
  terminatingHpa,
  unexplainedHpa,
} from '#reconciliation';
import type { Shards } from '../../coordination/shards/shards.ts';
import type { FieldLogger } from '../../logging/field-logger.ts';
import { OutageLog } from '../../logging/outage-log.ts';
import { indexOfActive } from '../access/active-index.ts';
import type { PolicyReports } from './policy-reports.ts';

/** The record of all policies is read for it, and it changes only when an operator changes namespaces. */
const keptMilliseconds = 60_000;

export interface OrphanedHpasOptions {
  readonly reconciler: Pick<Reconciler, 'listOrphanedHpas'>;
  readonly nativeAutoscalers: Pick<NativeAutoscalersPort, 'listOwned' | 'listAutoscalers'>;
  readonly activePolicies: ActivePoliciesPort;
  readonly shards: Pick<Shards, 'holds'>;
  readonly reports: Pick<PolicyReports, 'known'>;
  readonly ledger: Pick<LedgerPort, 'recordedPolicies' | 'policyStates'>;
  /** The configured ones. */
  readonly namespaces: readonly string[];
  readonly clock: Pick<ClockPort, 'monotonicMilliseconds'>;
  readonly logger: FieldLogger;
}

/** The HPAs that Plimsoll made and that no policy in force explains, whichever replica would decide the policy. */
export class OrphanedHpas {
  readonly #options: OrphanedHpasOptions;
  readonly #outages: OutageLog;
  readonly #keptOutages: OutageLog;
  #outOfReach: { readonly readAt: number; readonly policies: readonly PolicyKey[] } | null = null;

  constructor(options: OrphanedHpasOptions) {
    this.#options = options;
    this.#outages = new OutageLog(options.logger, {
      fails: 'the record of HPAs in namespaces that are not managed any more could not be read',
      works: 'the record of HPAs in namespaces that are not managed any more is read again',
    });
    this.#keptOutages = new OutageLog(options.logger, {
      fails: 'the record of HPAs that other replicas cannot delete could not be read',
      works: 'the record of HPAs that other replicas cannot delete is read again',
    });
  }

  /** By name. */
  async list(): Promise<readonly OrphanedHpa[]> {
    const orphans = [
      ...this.#options.reconciler.listOrphanedHpas(),
      ...(await this.#ofOthers()),
      ...(await this.#outOfReachOfOthers()),
    ];
    return orphans.sort((one, other) => (namespacedName(one) < namespacedName(other) ? -1 : 1));
  }

  /** Of policies that another replica would decide: neither in force, nor stored as on their way in or out. */
  async #ofOthers(): Promise<readonly OrphanedHpa[]> {
    const { nativeAutoscalers, shards, reports } = this.#options;
    const others = nativeAutoscalers
      .listOwned()
      .filter((hpa) => hpa.policy === namespacedName(hpa) && !shards.holds(hpa));
    if (others.length === 0) return [];
    const active = this.#active();
    const unexplained = others.filter((hpa) => !active.has(namespacedName(hpa)));
    const known = await reports.known(unexplained);
    const kept = await this.#keptByOthers(unexplained.filter((hpa) => known.has(namespacedName(hpa))));
    return [...unexplained.filter((hpa) => !known.has(namespacedName(hpa))).map(unexplainedHpa), ...kept];
  }

  /** Those that another replica tries to delete: as the watch has them, or as that replica stored why they stay. */
  async #keptByOthers(hpas: readonly OwnedAutoscaler[]): Promise<readonly OrphanedHpa[]> {
    if (hpas.length === 0) return [];
    const { ledger } = this.#options;
    const refused = await this.#keptOutages.during(() => loadKeptHpas(ledger, hpas));
    return hpas.flatMap((hpa) => {
      const kept = this.#terminating(hpa) ?? refused?.get(namespacedName(hpa));
      return kept === undefined ? [] : [keptHpa(hpa, kept)];
    });
  }

  #terminating({ namespace, name }: OwnedAutoscaler): ReturnType<typeof terminatingHpa> {
    const listing = this.#options.nativeAutoscalers.listAutoscalers(namespace);
    if (listing.state === 'Unsynced') return null;
    const found = listing.autoscalers.find((each) => each.name === name);
    return found === undefined ? null : terminatingHpa(found);
  }

  /** In namespaces that are not managed any more, where no watch shows them: the record alone says that there are any. */
  async #outOfReachOfOthers(): Promise<readonly OrphanedHpa[]> {
    const recorded = await this.#readOutOfReach();
    const others = recorded.filter((policy) => !this.#options.shards.holds(policy));
    if (others.length === 0) return [];
    const active = this.#active();
    return others.filter((policy) => !active.has(namespacedName(policy))).map(hpaOutOfReach);
  }

  /** While the database is away, those of the last reading. */
  async #readOutOfReach(): Promise<readonly PolicyKey[]> {
    const { ledger, namespaces, clock } = this.#options;
    if (namespaces.includes('*')) return [];
    const now = clock.monotonicMilliseconds();
    const last = this.#outOfReach;
    if (last !== null && now - last.readAt < keptMilliseconds) return last.policies;
    const isUnmanaged = ({ namespace }: PolicyKey): boolean => !managesNamespace({ namespaces }, namespace);
    const read = await this.#outages.during(() => listRecordedHpas(ledger, isUnmanaged));
    if (read !== null) this.#outOfReach = { readAt: now, policies: read };
    return read ?? last?.policies ?? [];
  }

  #active(): ReadonlyMap<string, ActivePolicy> {
    return indexOfActive(this.#options.activePolicies.listActivePolicies()).byKey;
  }
}
