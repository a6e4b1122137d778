import type { Tolerance } from './metric-spec.ts';

/** A rate policy of autoscaling/v2: at most `value` pods or percent within `periodSeconds`. */
export interface RatePolicy {
  readonly type: 'Pods' | 'Percent';
  /** At least 1. */
  readonly value: number;
  /** 1 to 1800. */
  readonly periodSeconds: number;
}

/** The limits of one direction. An absent field is a limit that does not act. */
export interface DirectionRules {
  /** 0 to 3600. Absent in `scaleDown` of the HPA family: the controller's own downscale window. */
  readonly stabilizationWindowSeconds?: number;
  readonly selectPolicy?: 'Max' | 'Min' | 'Disabled';
  readonly policies?: readonly RatePolicy[];
  readonly tolerance?: Tolerance;
  /**
   * Velocity in milli-percent of the present count; 0 forbids the direction.
   *
   * @see docs/spec/watermark-rules.md "Velocity and bounds"
   */
  readonly limitMilliPercent?: bigint;
  /**
   * 0 is no window.
   *
   * @see docs/spec/watermark-rules.md "Forbidden windows"
   */
  readonly forbiddenWindowSeconds?: number;
  /**
   * 0 is no delay.
   *
   * @see docs/spec/watermark-rules.md "Delays"
   */
  readonly delaySeconds?: number;
}

/** Both directions, defaults of the policy's family filled in. */
export interface BehaviorRules {
  /**
   * Whether the autoscaling/v2 behaviour counts as set: an HPA document's `behavior` is
   * present, or an AutoscalingPolicy's has at least one autoscaling/v2 field.
   *
   * @see docs/spec/horizontal-pod-autoscaler-rules.md "With behavior"
   */
  readonly isSet: boolean;
  readonly scaleUp: DirectionRules;
  readonly scaleDown: DirectionRules;
}
