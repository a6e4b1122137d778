import { maxReplicas } from '../metrics/exact.ts';
import { type Pass, step, type Verdict } from '../pass/pass.ts';
import { type Limit, setScalingLimited } from './scaling-limited.ts';

/**
 * At most so many percent of the present count at once, and always one replica unless the percentage is 0. Velocity
 * and bounds are one rule, and the bounds outrank velocity (wpa.md 8.1). A capped way down is cancelled while fewer
 * pods are ready than would be kept.
 *
 * Example: 30 % of 6 replicas, 2 wanted: 6 − max(1, floor(1.8)) = 5.
 */
export function velocity(pass: Pass): Verdict {
  const { policy, isWatermark, present, count: desired } = pass;
  const up = policy.behavior.scaleUp.limitMilliPercent;
  const down = policy.behavior.scaleDown.limitMilliPercent;
  const isWritten = up !== undefined || down !== undefined;
  // Without marks it acts where it is written, and scaling from zero passes by.
  if (!isWatermark && (!isWritten || present === 0)) return 'next';
  const limit = normalize(pass, { desired, current: present, up, down });
  tellLimited(pass, { desired, limit });
  if (limit.count === desired) return 'next';
  step(pass, 'velocity', { after: limit.count, because: describe(pass, limit) });
  if (limit.count === present) pass.keepReason = 'The velocity limit keeps the present count';
  return 'next';
}

/** In the HPA family the condition is the rate's or the bounds' already, unless velocity itself changed the count. */
function tellLimited(pass: Pass, { desired, limit }: { desired: number; limit: Limit }): void {
  if (pass.isWatermark) setScalingLimited(pass, reasonOf(pass, { desired, limit }));
  else if (limit.count !== desired && isVelocity(limit)) setScalingLimited(pass, limit);
}

interface Normalizable {
  readonly desired: number;
  readonly current: number;
  readonly up: bigint | undefined;
  readonly down: bigint | undefined;
}

function normalize(pass: Pass, { desired, current, up, down }: Normalizable): Limit {
  const { min, max } = pass.bounds;
  const upLimit =
    up === undefined ? Number.POSITIVE_INFINITY : Math.min(current + reach(up, current), maxReplicas);
  const downLimit = down === undefined ? Number.NEGATIVE_INFINITY : current - reach(down, current);
  if (desired < downLimit) {
    const kept = Math.max(downLimit, min);
    const low = hasTooFewReady(pass, kept) ? current : kept;
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
function reach(milliPercent: bigint, current: number): number {
  if (milliPercent === 0n) return 0;
  return Math.max(1, Math.floor(((Number(milliPercent) / 1000) * current) / 100));
}

/** Fewer pods of the winning metric are ready than would be kept; not where it looks at no pods (HPA family). */
function hasTooFewReady({ winner, isWatermark, current }: Pass, kept: number): boolean {
  if (winner === null || !winner.result.ok) return false;
  const ready = winner.result.readyCount ?? (isWatermark ? current : null);
  return ready !== null && ready > 0 && ready < kept;
}

/** When only a rate policy changed the stabilised count, the reason is the rate's. */
function reasonOf(pass: Pass, { desired, limit }: { desired: number; limit: Limit }): Limit {
  const { stabilized } = pass;
  if (limit.count === stabilized) return { count: limit.count, reason: 'DesiredWithinRange' };
  if (limit.count !== desired) return limit;
  return { count: limit.count, reason: limit.count < stabilized ? 'ScaleUpLimit' : 'ScaleDownLimit' };
}

function isVelocity({ reason }: Limit): boolean {
  return reason === 'ScaleUpLimit' || reason === 'ScaleDownLimit';
}

function describe(pass: Pass, { count, reason }: Limit): string {
  const { bounds, present: current, policy } = pass;
  const { scaleUp, scaleDown } = policy.behavior;
  switch (reason) {
    case 'ScaleUpLimit':
      return `at most ${percent(scaleUp.limitMilliPercent)} of ${current} replicas may come at once, and at most ${bounds.max} may be`;
    case 'ScaleDownLimit': {
      const limit = `at most ${percent(scaleDown.limitMilliPercent)} of ${current} replicas may go at once`;
      return count === current ? `${limit}, and none while fewer pods are ready than would be kept` : limit;
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
