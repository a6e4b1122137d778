import { type Evaluation, type RuleOutcome, step, toBounds } from '../evaluation/evaluation.ts';
import { type Limit, setScalingLimited } from '../evaluation/set-scaling-limited.ts';
import { maxReplicas } from '../metrics/exact-sum.ts';

/**
 * At most so many percent of the present count at once, and always one replica unless the percentage is 0. Velocity
 * and bounds are one rule, and the bounds outrank velocity. A capped scale-down is cancelled while fewer pods are ready
 * than would be kept.
 *
 * Example: 30 % of 6 replicas, 2 wanted: 6 − max(1, floor(1.8)) = 5.
 *
 * @see docs/spec/watermark-rules.md "Velocity and bounds"
 */
export function velocity(evaluation: Evaluation): RuleOutcome {
  const { policy, isWatermark, present, count: desired } = evaluation;
  const up = policy.behavior.scaleUp.limitMilliPercent;
  const down = policy.behavior.scaleDown.limitMilliPercent;
  const isWritten = up !== undefined || down !== undefined;
  // The HPA family has velocity only where it is written, and never from zero.
  if (!isWatermark && (!isWritten || present === 0)) return 'next';
  const limit = normalize(evaluation, { desired, present, up, down });
  limitScaling(evaluation, { desired, limit });
  if (limit.count === desired) return 'next';
  step(evaluation, 'velocity', { after: limit.count, because: describe(evaluation, limit) });
  if (limit.count === present) evaluation.reason = keptBy(evaluation, desired);
  return 'next';
}

/** Whether velocity has a part in it, or the bounds alone keep the present count. */
function keptBy({ bounds, present }: Evaluation, desired: number): string {
  return toBounds(desired, bounds) === present
    ? 'The bounds keep the present count'
    : 'The velocity limit keeps the present count';
}

/** In the HPA family the condition is the rate's or the bounds' already, unless velocity itself changed the count. */
function limitScaling(evaluation: Evaluation, { desired, limit }: { desired: number; limit: Limit }): void {
  if (evaluation.isWatermark) setScalingLimited(evaluation, reasonOf(evaluation, { desired, limit }));
  else if (limit.count !== desired && isVelocity(limit)) setScalingLimited(evaluation, limit);
}

interface Normalizable {
  readonly desired: number;
  readonly present: number;
  readonly up: bigint | undefined;
  readonly down: bigint | undefined;
}

function normalize(evaluation: Evaluation, { desired, present, up, down }: Normalizable): Limit {
  const { min, max } = evaluation.bounds;
  const upLimit =
    up === undefined ? Number.POSITIVE_INFINITY : Math.min(present + reach(up, present), maxReplicas);
  const downLimit = down === undefined ? Number.NEGATIVE_INFINITY : present - reach(down, present);
  if (desired < downLimit) {
    const kept = Math.max(downLimit, min);
    const low = hasTooFewReady(evaluation, kept) ? present : kept;
    if (desired < low) return { count: low, reason: 'ScaleDownLimit' };
  } else if (desired < min) {
    return { count: min, reason: 'TooFewReplicas' };
  }
  if (desired > upLimit) {
    const high = Math.min(upLimit, max);
    if (desired > high) return { count: high, reason: 'ScaleUpLimit' };
  } else if (desired > max) {
    return { count: max, reason: 'TooManyReplicas' };
  }
  return { count: desired, reason: 'DesiredWithinRange' };
}

/** How many replicas a limit lets go or come at once. */
function reach(milliPercent: bigint, present: number): number {
  if (milliPercent === 0n) return 0;
  return Math.max(1, Math.floor(((Number(milliPercent) / 1000) * present) / 100));
}

/** Fewer pods of the winning metric are ready than would be kept; not where it looks at no pods (HPA family). */
function hasTooFewReady({ winner, isWatermark, present }: Evaluation, kept: number): boolean {
  const ready = winner?.result.readyCount ?? (isWatermark ? present : null);
  return ready !== null && ready > 0 && ready < kept;
}

/** When only a rate policy changed the stabilised count, the reason is the rate's. */
function reasonOf(evaluation: Evaluation, { desired, limit }: { desired: number; limit: Limit }): Limit {
  const { stabilized } = evaluation;
  if (limit.count === stabilized) return { count: limit.count, reason: 'DesiredWithinRange' };
  if (limit.count !== desired) return limit;
  return { count: limit.count, reason: limit.count < stabilized ? 'ScaleUpLimit' : 'ScaleDownLimit' };
}

function isVelocity({ reason }: Limit): boolean {
  return reason === 'ScaleUpLimit' || reason === 'ScaleDownLimit';
}

function describe(evaluation: Evaluation, { count, reason }: Limit): string {
  const { bounds, present, policy } = evaluation;
  const { scaleUp, scaleDown } = policy.behavior;
  switch (reason) {
    case 'ScaleUpLimit':
      return `at most ${percent(scaleUp.limitMilliPercent)} of ${present} replicas may come at once, and at most ${bounds.max} may be`;
    case 'ScaleDownLimit': {
      const limit = `at most ${percent(scaleDown.limitMilliPercent)} of ${present} replicas may go at once`;
      return count === present ? `${limit}, and none while fewer pods are ready than would be kept` : limit;
    }
    case 'TooFewReplicas':
      return `at least ${bounds.min} replicas`;
    default:
      return `at most ${bounds.max} replicas`;
  }
}

function percent(milliPercent: bigint | undefined): string {
  return milliPercent === undefined ? 'any number' : `${Number(milliPercent) / 1000} %`;
}
