import type { Milli } from '#kernel';
import { divideTruncating, ExactSum } from './exact-sum.ts';
import type { GroupedPods } from './group-pods.ts';
import type { PodReadings } from './pod-readings.ts';
import { type Fill, type RatioModel, sumOfReady } from './replicas-from-ratio.ts';

/** Usage per pod against a value per pod, and the figure that explains it. */
export interface AverageUsage extends RatioModel {
  /** Usage per value, truncated. */
  readonly average: Milli;
}

interface AverageUsageInput {
  readonly readings: PodReadings;
  readonly groups: GroupedPods;
  readonly target: Milli;
}

/**
 * The truncated average over all values, superfluous ones included; there is at least one.
 *
 * @see docs/spec/horizontal-pod-autoscaler-rules.md "Reading metrics"
 */
export function averageUsage({ readings, groups, target }: AverageUsageInput): AverageUsage {
  const total = new ExactSum();
  total.add(sumOfReady(readings, groups));
  for (const value of readings.superfluous) total.add(value);
  const counted = groups.ready.length + readings.superfluous.length;
  const average = divideTruncating(total.value(), counted);
  return {
    average,
    ratio: Number(average) / Number(target),
    refill: (fill: Fill) => {
      const filled = new ExactSum();
      filled.add(total.value());
      const missing = fill.missing === 'Out' ? 0 : groups.missing.length;
      const unready = fill.unready === 'Out' ? 0 : groups.unready.length;
      if (fill.missing === 'AtTarget') filled.add(times(target, missing));
      return Number(divideTruncating(filled.value(), counted + missing + unready)) / Number(target);
    },
  };
}

function times(value: Milli, count: number): Milli {
  const product = typeof value === 'number' ? value * count : Number.NaN;
  return Number.isSafeInteger(product) ? product : BigInt(value) * BigInt(count);
}
