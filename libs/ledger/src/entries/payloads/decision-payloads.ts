import type { Action, Decision, Memory, Observation, Settings } from '#decision';
import type { JsonObject } from '#kernel';
import type { PolicyKey } from '../stream-name.ts';
import type { CommitReference } from './references.ts';

/** A decision in full: with its complete input it can be recomputed offline and must come out the same. */
export interface DecisionPayload {
  readonly policy: PolicyKey;
  /** What put the policy in force; `null` where it came from no repository. */
  readonly commit: CommitReference | null;
  readonly engineVersion: string;
  readonly contractVersion: string;
  readonly input: RecordedInput;
  readonly decision: Decision;
  /** How the native controller acts otherwise than the decision, in sentences; absent: it does not, or does not act. */
  readonly departures?: readonly string[];
}

/** The decision contract's input, complete. */
export interface RecordedInput {
  /** The document in the form that the contract reads, defaults applied. */
  readonly policy: JsonObject;
  readonly settings: Settings;
  readonly observation: Observation;
  readonly memory: Memory;
}

/** The least and the greatest of a value over a run. */
export interface Range<T> {
  readonly min: T;
  readonly max: T;
}

/** What one metric did over a run. */
export interface MetricRange {
  readonly type: string;
  readonly name: string;
  /** `null` when no decision of the run had a proposal of it. */
  readonly proposedReplicas: Range<number> | null;
  /** Those that were computed, in the decision's own form. */
  readonly current: {
    readonly averageUtilization?: Range<number>;
    readonly averageValue?: Range<string>;
    readonly value?: Range<string>;
  };
}

/** Decisions that changed nothing, folded. They repeat the last `Decision` before them in their stream. */
export interface DecisionRunPayload {
  readonly policy: PolicyKey;
  /** Time of the first and of the last decision folded here; the `Decision` itself is not among them. */
  readonly first: string;
  readonly last: string;
  /** At least 1. */
  readonly count: number;
  readonly action: Action;
  readonly desiredReplicas: number | null;
  readonly reason: string;
  readonly metrics: readonly MetricRange[];
}
