import type { SelectionStrategy } from '#policy';
import type { Optional } from './observation.ts';

/** All state between two decisions; `{}` for the first. */
export interface Memory {
  /** Absent: nothing is known yet; empty: known, and nothing recorded. Overwritten in place, never sorted or shortened. */
  readonly recommendations?: Optional<readonly TimedReplicas[]>;
  /** Sizes of changes upwards, at least 0. */
  readonly scaleUpEvents?: Optional<readonly TimedReplicas[]>;
  /** Sizes of changes downwards, at least 0. */
  readonly scaleDownEvents?: Optional<readonly TimedReplicas[]>;
  readonly lastScaleTime?: Optional<string>;
  /** The requested strategy of the last decision, with the gate applied. */
  readonly selectionStrategy?: Optional<SelectionStrategy>;
  readonly conditions?: Optional<readonly RememberedCondition[]>;
}

/** A count at a moment (RFC 3339). */
export interface TimedReplicas {
  readonly replicas: number;
  readonly time: string;
}

export type ConditionStatus = 'True' | 'False' | 'Unknown';

/** A condition without its message. */
export interface RememberedCondition {
  readonly type: string;
  readonly status: ConditionStatus;
  readonly reason?: Optional<string>;
  /** When `status` last changed (RFC 3339). */
  readonly lastTransitionTime?: Optional<string>;
}
