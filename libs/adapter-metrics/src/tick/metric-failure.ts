import type { ObservedMetric } from '#decision';
import type { MetricSpec } from '#policy';

/** The metric entry for what could not be had: upstream's reason of the metric's type. */
export function metricFailure(type: MetricSpec['type'], message: string): ObservedMetric {
  return { error: { reason: `FailedGet${type}Metric`, message } };
}
