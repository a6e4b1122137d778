import type { JsonObject } from '#kernel';
import type { SelectionStrategy } from '#policy';
import type { ConditionStatus, Memory } from './memory.ts';

/** Every action there is: PostgreSQL lists all decisions as those of each action. */
export const actions = ['ScaleUp', 'ScaleDown', 'None', 'Hold'] as const;

/** `None`: it was decided to keep the present count. `Hold`: no count could be decided. */
export type Action = (typeof actions)[number];

/** A decision, and the memory for the next one as after a successful write. */
export interface DecideOutput {
  readonly decision: Decision;
  readonly memory: Memory;
}

/** The count that a target should have, and how it came about. */
export interface Decision {
  /** The observation's time, in UTC. */
  readonly time: string;
  readonly policy: { readonly namespace: string; readonly name: string };
  /** Null: the scale could not be read. */
  readonly currentReplicas: number | null;
  /** Equal to the present count under `Hold`; null with it. */
  readonly desiredReplicas: number | null;
  readonly action: Action;
  /** Upstream's rescale reason, or a sentence of its own kind. */
  readonly reason: string;
  readonly selection: SelectionReport;
  /** One per metric of the policy, in order; empty where metrics were not evaluated. */
  readonly metrics: readonly MetricReport[];
  /** The waterfall: each `after` is the next `before`, the last is `desiredReplicas`. */
  readonly steps: readonly Step[];
  /** The complete set at the moment of deciding, before any write. */
  readonly conditions: readonly Condition[];
}

export interface SelectionReport {
  readonly requested: SelectionStrategy;
  readonly effective: SelectionStrategy;
  /** Why the requested filter was not applied, else null. */
  readonly fallback: FailureReport | null;
}

/** A machine-read reason and a sentence. */
export interface FailureReport {
  readonly reason: string;
  readonly message: string;
}

export type MetricReportType =
  'Resource' | 'ContainerResource' | 'Pods' | 'Object' | 'External' | 'Prometheus' | 'Recommender';

/** The value and the proposal of one metric. */
export interface MetricReport {
  readonly type: MetricReportType;
  readonly name: string;
  /** The target as the policy has it. */
  readonly target: JsonObject;
  /** Values before anything was assumed about missing or unready pods, exact in milli-units. */
  readonly current: CurrentValue;
  /** Null: the metric is invalid. */
  readonly proposedReplicas: number | null;
  readonly error: FailureReport | null;
  readonly pods: PodGroups;
}

/** Quantities are Kubernetes quantity text; utilisation is a truncated percent. */
export interface CurrentValue {
  readonly averageUtilization?: number;
  readonly averageValue?: string;
  readonly value?: string;
}

/** Names by group, each list sorted by code point. */
export interface PodGroups {
  /** Those left after selection. */
  readonly considered: readonly string[];
  readonly ready: readonly string[];
  readonly unready: readonly string[];
  readonly missing: readonly string[];
  readonly ignored: readonly string[];
  readonly filteredOut: readonly FilteredPod[];
}

export type FilterReason = 'NoOwner' | 'OwnerNotFound' | 'OtherOwner' | 'ChainTooDeep';

/** A pod that selection left out. */
export interface FilteredPod {
  readonly pod: string;
  readonly reason: FilterReason;
}

/** Ids of the rules, in the order of an evaluation. */
export type RuleId =
  | 'disabled'
  | 'lifecycle'
  | 'scale-unreadable'
  | 'clock'
  | 'paused'
  | 'min-max-correction'
  | 'status-lag'
  | 'selector'
  | 'invalid-metric'
  | 'zero-value'
  | 'proposal'
  | 'tolerance'
  | 'converge'
  | 'replica-step'
  | 'highest-proposal'
  | 'stabilization'
  | 'rate-policies'
  | 'legacy-limit'
  | 'velocity'
  | 'forbidden-window'
  | 'delay'
  | 'schedule'
  | 'override'
  | 'min-max'
  | 'freeze'
  | 'suspend'
  | 'dry-run';

/** One rule that was consulted: the count before and after it, and why. Null only where the scale could not be read. */
export interface Step {
  readonly rule: RuleId;
  readonly before: number | null;
  readonly after: number | null;
  /** A sentence with the figures in it. */
  readonly because: string;
}

/** A condition of the policy's status. */
export interface Condition {
  readonly type: string;
  readonly status: ConditionStatus;
  readonly reason: string;
  readonly message: string;
  readonly lastTransitionTime: string;
}
