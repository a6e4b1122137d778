import { maximumStoredReports, type StoredReport } from '#adapter-sql';
import type { Decision } from '#decision';
import { namespacedName } from '#kernel';
import type { PolicyKey } from '#ledger';
import type { EffectivePolicy } from '#policy';
import {
  type ActivePolicy,
  type ClockPort,
  outcomeOfReady,
  type PassReport,
  type PolicyCondition,
  type ScalePort,
  scaleTargetOf,
  type ShownOutcome,
} from '#reconciliation';
import type { Shards } from '../../coordination/shards/shards.ts';
import type { FieldLogger } from '../../logging/field-logger.ts';
import { OutageLog } from '../../logging/outage-log.ts';
import type { StatusRegistry } from '../../reconcile/status-registry.ts';

/**
 * Which replica runs the passes over a policy. `NobodyYet`: this one, since whose start none has ended. `AnotherReplica`: not
 * this one; none, while its shard is handed over.
 */
export type Evaluator = 'ThisReplica' | 'AnotherReplica' | 'NobodyYet';

/** What is known of a policy from its latest pass, whichever process ran it. */
export interface PolicyReport {
  readonly outcome: ShownOutcome;
  /**
   * When the pass ended; where this replica ran none, when the state of the policy was stored last: passes that changed
   * nothing since are known to the replica that ran them alone. RFC 3339.
   */
  readonly time: string;
  readonly evaluatedBy: Evaluator;
  /** Who holds it evaluates the policy. */
  readonly shard: number;
  /** Null: it could not be read. */
  readonly scale: { readonly specReplicas: number; readonly statusReplicas: number | null } | null;
  readonly conditions: readonly PolicyCondition[];
  /** The most that its metrics asked for, before any bound; 0: nothing. */
  readonly proposedReplicas: number;
  /** Whether pods were not selected as the policy asks. */
  readonly isFallback: boolean;
  /** What the pass decided; null: it decided nothing, or another process ran it. */
  readonly decided: PassDecision | null;
}

/** A decision as the process that made it has it, recorded or not. */
export interface PassDecision {
  readonly decision: Decision;
  /** Id of the `Decision` entry that holds it, or that it repeats; null: it is not recorded yet. */
  readonly recordedAs: string | null;
}

export interface PolicyReportsOptions {
  readonly statuses: Pick<StatusRegistry, 'latest'>;
  readonly shards: Pick<Shards, 'holds' | 'shardOf'>;
  readonly store: { readonly read: (policies: readonly PolicyKey[]) => Promise<readonly StoredReport[]> };
  readonly scales: Pick<ScalePort, 'cachedScale'>;
  readonly clock: Pick<ClockPort, 'monotonicMilliseconds'>;
  readonly logger: FieldLogger;
}

/** Consoles that look at a whole fleet side by side are answered with one read of it. */
const freshMilliseconds = 2_000;

/** What was read last is shown while the database is away, with its time; of policies that nobody looks at it is let go. */
const keptMilliseconds = 600_000;

/** What was read of a policy that another process decides; both times by the monotonic clock. */
interface KnownReport {
  readonly at: number;
  /** When somebody asked for it last. */
  readonly lookedAt: number;
  /** Undefined: nothing is stored of it. */
  readonly stored: StoredReport | undefined;
}

/**
 * The latest reports of policies: of those that this process decides from memory, of all others, and of those that had no
 * pass here yet, from what is stored of them, a statement per thousand. While the database is away, what it said last of a
 * policy stands, for as long as somebody looks at that; of others nothing is known.
 */
export class PolicyReports {
  readonly #options: PolicyReportsOptions;
  readonly #outages: OutageLog;
  /** By policy, of other processes' policies. */
  readonly #stored = new Map<string, KnownReport>();

  constructor(options: PolicyReportsOptions) {
    this.#options = options;
    this.#outages = new OutageLog(options.logger, {
      fails: 'what other processes reported of policies could not be read',
      works: 'what other processes reported of policies is read again',
    });
  }

  /** By `namespace/name`; those without a pass behind them are left out. */
  async of(policies: readonly ActivePolicy[]): Promise<ReadonlyMap<string, PolicyReport>> {
    const { statuses, shards } = this.#options;
    const others = policies.filter(
      ({ policy }) => !shards.holds(policy) || statuses.latest(namespacedName(policy)) === undefined,
    );
    const stored = await this.#load(others.map(({ policy }) => policy));
    const reports = policies.flatMap((active): readonly (readonly [string, PolicyReport])[] => {
      const key = namespacedName(active.policy);
      const latest = shards.holds(active.policy) ? statuses.latest(key) : undefined;
      if (latest !== undefined) return [[key, reportOf(latest, shards.shardOf(active.policy))]];
      const found = stored.get(key);
      const report = found === undefined ? undefined : this.#reportOfStored(active, found);
      return report === undefined ? [] : [[key, report]];
    });
    return new Map(reports);
  }

  /** Which of these policies, of other processes, have anything stored: they are in force, come, or leave. */
  async known(policies: readonly PolicyKey[]): Promise<ReadonlySet<string>> {
    return new Set((await this.#load(policies)).keys());
  }

  /** `spec.replicas` of a policy's target; null: not known. */
  presentOf({
    policy,
  }: {
    readonly policy: Pick<EffectivePolicy, 'namespace' | 'name' | 'target'>;
  }): number | null {
    const { statuses, shards } = this.#options;
    const latest = shards.holds(policy) ? statuses.latest(namespacedName(policy)) : undefined;
    return latest?.scale?.specReplicas ?? this.presentAt({ policy });
  }

  /** The same of a policy that is not in force as it is: another one of its name may scale another target. */
  presentAt({ policy }: { readonly policy: Pick<EffectivePolicy, 'namespace' | 'target'> }): number | null {
    return this.#options.scales.cachedScale(scaleTargetOf(policy))?.specReplicas ?? null;
  }

  async #load(policies: readonly PolicyKey[]): Promise<ReadonlyMap<string, StoredReport>> {
    if (policies.length === 0) return new Map();
    const now = this.#options.clock.monotonicMilliseconds();
    for (const [key, { lookedAt }] of this.#stored)
      if (now - lookedAt >= keptMilliseconds) this.#stored.delete(key);
    const unread = policies.filter((policy) => {
      const at = this.#stored.get(namespacedName(policy))?.at ?? Number.NEGATIVE_INFINITY;
      return now - at >= freshMilliseconds;
    });
    if (unread.length > 0) await this.#outages.during(() => this.#read(unread, now));
    const found = policies.flatMap((policy): readonly (readonly [string, StoredReport])[] => {
      const key = namespacedName(policy);
      const known = this.#stored.get(key);
      if (known !== undefined) this.#stored.set(key, { ...known, lookedAt: now });
      return known?.stored === undefined ? [] : [[key, known.stored]];
    });
    return new Map(found);
  }

  /** @throws AdapterError when the database cannot be read; what comes after that is not asked for */
  async #read(policies: readonly PolicyKey[], at: number): Promise<void> {
    for (let start = 0; start < policies.length; start += maximumStoredReports) {
      const part = policies.slice(start, start + maximumStoredReports);
      const read = await this.#options.store.read(part);
      const found = new Map(read.map((stored) => [namespacedName(stored.policy), stored]));
      for (const key of part.map(namespacedName))
        this.#stored.set(key, { at, lookedAt: at, stored: found.get(key) });
    }
  }

  #reportOfStored(active: ActivePolicy, stored: StoredReport): PolicyReport | undefined {
    const { conditions, storedAt, replicas, proposedReplicas, isFallback } = stored;
    const ready = conditions.find(({ type }) => type === 'Ready');
    if (ready === undefined) return undefined;
    const { scales, shards } = this.#options;
    const cached = scales.cachedScale(scaleTargetOf(active.policy));
    const scale = cached ?? (replicas === null ? null : { specReplicas: replicas, statusReplicas: null });
    const time = storedAt ?? ready.lastTransitionTime;
    return {
      outcome: outcomeOfReady(ready),
      time,
      evaluatedBy: shards.holds(active.policy) ? 'NobodyYet' : 'AnotherReplica',
      shard: shards.shardOf(active.policy),
      scale,
      conditions,
      proposedReplicas,
      isFallback,
      decided: null,
    };
  }
}

function reportOf(
  { outcome, time, scale, conditions, decision, decisionId }: PassReport,
  shard: number,
): PolicyReport {
  const { kind, reason, message } = outcome;
  return {
    outcome: { kind, reason, message },
    time,
    evaluatedBy: 'ThisReplica',
    shard,
    scale,
    conditions,
    proposedReplicas: Math.max(0, ...(decision?.metrics ?? []).map((metric) => metric.proposedReplicas ?? 0)),
    isFallback: decision !== null && decision.selection.fallback !== null,
    decided: decision === null ? null : { decision, recordedAs: decisionId },
  };
}
