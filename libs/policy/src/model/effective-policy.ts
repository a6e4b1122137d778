import type { BehaviorRules } from './behavior.ts';
import type { MetricSpec } from './metric-spec.ts';

/** The kind of the document a policy was written as. */
export type PolicyDocumentKind = 'AutoscalingPolicy' | 'HorizontalPodAutoscaler' | 'WatermarkPodAutoscaler';

/** `Scale`: Plimsoll writes the scale subresource. `HorizontalPodAutoscaler`: it renders a native HPA. */
export type Actuation = 'Scale' | 'HorizontalPodAutoscaler';

/** How pods that the label selector found are narrowed down. */
export type SelectionStrategy = 'LabelSelector' | 'OwnerReference';

/**
 * Which rules combine: `watermark` when any metric has a Watermark target or there is a recommender, else `hpa`.
 *
 * @see docs/spec/decision-contract.md
 */
export type PolicyFamily = 'hpa' | 'watermark';

/** A reference to a scalable object; the namespace is the policy's own. */
export interface ScaleTargetRef {
  /** Group and version (`apps/v1`), or `v1` for a ReplicationController. */
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
}

/** The object whose state stops a policy (`spec.lifecycle.blockedBy`). */
export interface LifecycleBlock {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly jsonPath: string;
  /** The policy is blocked while the value at `jsonPath` differs from this; absent: while there is a value. */
  readonly notEqual?: string;
}

/** A window in which bounds are replaced. `cron` is evaluated in `timeZone` by the shell, never by the core. */
export interface ScheduleSpec {
  readonly name: string;
  readonly cron: string;
  readonly timeZone: string;
  /** 60 to 2,678,400 (31 days). */
  readonly durationSeconds: number;
  readonly minReplicas?: number;
  readonly maxReplicas?: number;
}

/** A window in which a direction is stopped. */
export interface FreezeSpec {
  readonly name: string;
  readonly cron: string;
  readonly timeZone: string;
  readonly durationSeconds: number;
  readonly direction: 'Up' | 'Down' | 'Both';
}

/**
 * A service that answers with a replica count.
 *
 * @see docs/spec/watermark-rules.md "Recommender"
 */
export interface RecommenderSpec {
  readonly url: string;
  readonly targetType: string;
  readonly lowMilli: bigint;
  readonly highMilli: bigint;
  readonly settings: Readonly<Record<string, string>>;
  readonly tls?: RecommenderTls;
}

/** TLS of one recommender; every setting is honoured or is an error. */
export interface RecommenderTls {
  readonly caFile?: string;
  readonly certFile?: string;
  readonly keyFile?: string;
  readonly serverName?: string;
  readonly insecureSkipVerify?: boolean;
  readonly minVersion?: string;
  readonly maxVersion?: string;
}

/**
 * A valid policy with every default filled in: what `decide` reads, whichever kind of document it came from.
 * A value of this type passed validation, so no reader checks again.
 */
export interface EffectivePolicy {
  readonly kind: PolicyDocumentKind;
  readonly family: PolicyFamily;
  readonly namespace: string;
  readonly name: string;
  readonly target: ScaleTargetRef;
  readonly actuation: Actuation;
  readonly enabled: boolean;
  /** The count restored when `enabled` becomes false; absent: the present count stays. */
  readonly replicas?: number;
  readonly dryRun: boolean;
  readonly intervalSeconds: number;
  /** 0 only in the HPA family with an Object or External metric. */
  readonly minReplicas: number;
  /** At least 1, at least `minReplicas`. */
  readonly maxReplicas: number;
  /** As requested; the gate and a failed lookup are the decision's business. */
  readonly selectionStrategy: SelectionStrategy;
  /** A WatermarkPodAutoscaler document with `skip-owner-check`: shared selectors are its documented use. */
  readonly sharedSelectorAllowed: boolean;
  /** At least one, unless there is a recommender. */
  readonly metrics: readonly MetricSpec[];
  readonly recommender?: RecommenderSpec;
  readonly behavior: BehaviorRules;
  /**
   * 1 is no rounding.
   *
   * @see docs/spec/watermark-rules.md "Watermarks"
   */
  readonly replicaStep: number;
  readonly convergeTowards?: 'HighWatermark' | 'LowWatermark';
  readonly tolerateZero: boolean;
  /** 0 to 100. */
  readonly minAvailablePercent: number;
  readonly readinessDelaySeconds: number;
  readonly lifecycle?: LifecycleBlock;
  readonly schedules: readonly ScheduleSpec[];
  readonly freezes: readonly FreezeSpec[];
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}
