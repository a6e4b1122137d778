import type { EarlierReplicas, LoweredPolicy } from '#ledger';
import type { EffectivePolicy } from '#policy';
import type { ClockPort, TracesPort } from '#reconciliation';
import type { ActivePolicySet } from '../in-force/active-policy-set.ts';
import type { GitPort } from '../ports/git.port.ts';
import type { PolicyParserPort } from '../ports/policy-parser.port.ts';
import type { RevisionStorePort } from '../ports/revision-store.port.ts';
import type { SyncEventsPort } from '../ports/sync-events.port.ts';
import type { SyncJournalPort } from '../ports/sync-journal.port.ts';

/** What a source is synced with. */
export interface SyncPorts {
  readonly git: GitPort;
  readonly store: RevisionStorePort;
  readonly journal: SyncJournalPort;
  readonly clock: ClockPort;
  readonly parser: PolicyParserPort;
  readonly active: ActivePolicySet;
  /** Replicas of the policies' targets now, by `namespace/name` of the policy; what is unknown is left out. */
  readonly presentReplicas: (policies: readonly EffectivePolicy[]) => Promise<ReadonlyMap<string, number>>;
  /**
   * What overrides and commits lowered a target from, in steps; null: from nothing.
   *
   * @throws AdapterError where the ledger cannot be read
   */
  readonly earlierReplicas: (lowered: LoweredPolicy) => Promise<EarlierReplicas | null>;
  /** SHA-256 of a text, in hex. */
  readonly digest: (text: string) => string;
  readonly events?: SyncEventsPort;
  /**
   * Aborts, with an AdapterError as its reason, when the process ends: nothing is put into force from then on, and no batch
   * of entries is begun. Absent: nothing ends a sync.
   */
  readonly ending?: AbortSignal;
  /** Absent: no sync is traced. */
  readonly traces?: TracesPort;
}
