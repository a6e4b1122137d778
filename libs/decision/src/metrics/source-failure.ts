import type { ObservedMetric } from '../model/observation.ts';

/** Why a metric's source gave nothing, or null. A metric that was not observed at all is a failure too. */
export function sourceFailure(observed: ObservedMetric | undefined): string | null {
  if (observed === undefined) return 'the metric was not observed';
  const { error } = observed;
  if (error === null || error === undefined) return null;
  return `${error.reason ?? 'Failed'}: ${error.message ?? 'no message'}`;
}
