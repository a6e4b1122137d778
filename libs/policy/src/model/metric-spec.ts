import type { JsonObject } from '#kernel';

/**
 * A tolerance as autoscaling/v2 has it: a fraction, kept as written and as the one float64 it becomes.
 *
 * @see docs/spec/decision-contract.md "Exactness": canonical mantissa × 10^exponent, as `AsApproximateFloat64`
 */
export interface Tolerance {
  readonly text: string;
  readonly fraction: number;
}

/** A target of autoscaling/v2. Milli-units are int64 > 0. */
export interface ResourceTarget {
  readonly type: 'Utilization' | 'Value' | 'AverageValue';
  /** Percent of the request, at least 1. */
  readonly averageUtilization?: number;
  readonly averageValueMilli?: bigint;
  readonly valueMilli?: bigint;
  /** Overrides both sides of the tolerance for this metric (AutoscalingPolicy only). */
  readonly tolerance?: Tolerance;
}

/**
 * A target between two marks. One written mark fills both.
 *
 * @see docs/spec/watermark-rules.md "Watermarks"
 */
export interface WatermarkTarget {
  readonly type: 'Watermark';
  readonly lowMilli: bigint;
  readonly highMilli: bigint;
  /** `absolute` compares the total, `average` the total per ready pod. */
  readonly algorithm: 'absolute' | 'average';
  /** Thousandths, 0 to 1000, rounded away from zero. */
  readonly toleranceMilli: number;
}

export type MetricTarget = ResourceTarget | WatermarkTarget;

/** A metric by name, and optionally by a label selector as written (valid, not yet rendered as text). */
export interface MetricIdentifier {
  readonly name: string;
  readonly selector?: LabelSelector;
}

/** A Kubernetes label selector. */
export interface LabelSelector {
  readonly matchLabels?: Readonly<Record<string, string>>;
  readonly matchExpressions?: readonly LabelSelectorRequirement[];
}

export interface LabelSelectorRequirement {
  readonly key: string;
  readonly operator: 'In' | 'NotIn' | 'Exists' | 'DoesNotExist';
  readonly values?: readonly string[];
}

/** An object of the policy's namespace that a metric describes. */
export interface DescribedObject {
  readonly apiVersion?: string;
  readonly kind: string;
  readonly name: string;
}

interface MetricBase {
  /** The target in the native form, defaults filled in: what a decision reports and a person reads. */
  readonly targetDocument: JsonObject;
}

/** One metric of a policy. */
export type MetricSpec =
  | (MetricBase & { readonly type: 'Resource'; readonly resource: string; readonly target: MetricTarget })
  | (MetricBase & {
      readonly type: 'ContainerResource';
      readonly resource: string;
      readonly container: string;
      readonly target: MetricTarget;
    })
  | (MetricBase & {
      readonly type: 'Pods';
      readonly metric: MetricIdentifier;
      readonly target: ResourceTarget;
    })
  | (MetricBase & {
      readonly type: 'Object';
      readonly metric: MetricIdentifier;
      readonly describedObject: DescribedObject;
      readonly target: MetricTarget;
    })
  | (MetricBase & {
      readonly type: 'External';
      readonly metric: MetricIdentifier;
      readonly target: MetricTarget;
    })
  | (MetricBase & {
      readonly type: 'Prometheus';
      readonly server: string;
      readonly query: string;
      readonly name?: string;
      readonly target: MetricTarget;
    });
