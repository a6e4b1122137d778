import type { MetricTarget } from '#policy';
import type { Evaluation } from '../evaluation/evaluation.ts';

/** How far a ratio may stray from 1 on each side, as fractions. */
export interface Tolerances {
  readonly down: number;
  readonly up: number;
}

/**
 * The tolerances of one metric: its own for both sides, else each direction's, else the controller's. With the
 * ConfigurableTolerance gate off only the controller's counts.
 *
 * @see https://kubernetes.io/docs/concepts/workloads/autoscaling/horizontal-pod-autoscale/#tolerance
 */
export function tolerancesFor({ policy, settings }: Evaluation, target: MetricTarget): Tolerances {
  const global = settings.tolerance;
  if (!settings.featureGates.ConfigurableTolerance) return { down: global, up: global };
  const own = target.type === 'Watermark' ? undefined : target.tolerance?.fraction;
  const { scaleUp, scaleDown } = policy.behavior;
  return {
    down: own ?? scaleDown.tolerance?.fraction ?? global,
    up: own ?? scaleUp.tolerance?.fraction ?? global,
  };
}

/** Inclusive at both ends, in float64: 1.1 is within 0.1, although |1 − 1.1| is more than 0.1 there. */
export function isWithin({ down, up }: Tolerances, ratio: number): boolean {
  return 1.0 - down <= ratio && ratio <= 1.0 + up;
}

/** For a person: `± 10 %`, or both sides where they differ. */
export function describeTolerances({ down, up }: Tolerances): string {
  return down === up ? `± ${percent(up)} %` : `− ${percent(down)} % + ${percent(up)} %`;
}

function percent(fraction: number): string {
  if (fraction !== lastFraction) {
    lastPercent = String(Number((fraction * 100).toPrecision(6)));
    lastFraction = fraction;
  }
  return lastPercent;
}

/** Nearly all metrics have the controller's own tolerance. */
let lastFraction = Number.NaN;
let lastPercent = '';
