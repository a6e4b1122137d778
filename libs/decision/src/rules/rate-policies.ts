import { addSeconds } from '#kernel';
import type { DirectionRules, RatePolicy } from '#policy';
import { MAX_REPLICAS } from '../metrics/exact.ts';
import type { TimedReplicas } from '../model/memory.ts';
import type { Optional } from '../model/observation.ts';
import { step, type Pass, type Verdict } from '../pass/pass.ts';
import { isAfter } from './recommendations.ts';
import { setScalingLimited, type Limit } from './scaling-limited.ts';

/**
 * The rate policies of `behavior`: how far the count may be from where it was a period ago (hpa.md 12.3). In the
 * watermark family only those that are written.
 *
 * @see https://kubernetes.io/docs/concepts/workloads/autoscaling/horizontal-pod-autoscale/#scaling-policies
 */
export function ratePolicies(pass: Pass): Verdict {
  const { policy, isWatermark, bounds } = pass;
  if (!isWatermark && !policy.behavior.isSet) return 'next';
  const current = pass.current ?? 0;
  const desired = pass.count ?? 0;
  const isUp = desired > current;
  const rules = isUp ? policy.behavior.scaleUp : policy.behavior.scaleDown;
  const limit = desired === current ? null : isUp ? upLimit(pass, rules) : downLimit(pass, rules);
  if (!isWatermark) setScalingLimited(pass, withBounds({ desired, current, limit, bounds }));
  if (limit === null) return 'next';
  const binds = isUp ? desired > limit && bounds.max > limit : desired < limit && bounds.min < limit;
  if (binds) {
    step(pass, 'rate-policies', {
      after: limit,
      because: describe(rules, { isUp: isUp ? 'up' : 'down', limit }),
    });
    if (limit === current) pass.keepReason = 'The rate policies keep the present count';
  }
  return 'next';
}

/** Never below the present count; null: no policy limits the way up. */
function upLimit(pass: Pass, rules: DirectionRules): number | null {
  const current = pass.current ?? 0;
  const limits = limitsOf(pass, rules, (start, { type, value }) =>
    type === 'Pods' ? start + value : Math.ceil(start * (1 + value / 100)),
  );
  if (limits === null) return null;
  const picked = rules.selectPolicy === 'Min' ? least(limits) : greatest(limits);
  return Math.min(Math.max(picked, current), MAX_REPLICAS);
}

/** Never above the present count; null: no policy limits the way down. */
function downLimit(pass: Pass, rules: DirectionRules): number | null {
  const current = pass.current ?? 0;
  const limits = limitsOf(pass, rules, (start, { type, value }) =>
    type === 'Pods' ? start - value : Math.trunc(start * (1 - value / 100)),
  );
  if (limits === null) return null;
  const picked = rules.selectPolicy === 'Min' ? greatest(limits) : least(limits);
  return Math.min(picked, current);
}

/** Each policy's limit from the count at its period's start; `Disabled` allows no change; null: nothing is written. */
function limitsOf(
  pass: Pass,
  { selectPolicy, policies }: DirectionRules,
  propose: (start: number, policy: RatePolicy) => number,
): readonly number[] | null {
  const current = pass.current ?? 0;
  if (selectPolicy === 'Disabled') return [current];
  if (policies === undefined || policies.length === 0) return null;
  const { scaleUpEvents, scaleDownEvents } = pass.input.memory;
  return policies.map((policy) => {
    const added = changeWithin(pass, scaleUpEvents, policy.periodSeconds);
    const removed = changeWithin(pass, scaleDownEvents, policy.periodSeconds);
    return propose(current - added + removed, policy);
  });
}

function changeWithin({ now }: Pass, events: Optional<readonly TimedReplicas[]>, seconds: number): number {
  const cutoff = addSeconds(now, -seconds);
  let sum = 0;
  for (const { replicas, time } of events ?? []) if (isAfter(time, cutoff)) sum += replicas;
  return sum;
}

interface Bounded {
  readonly desired: number;
  readonly current: number;
  readonly limit: number | null;
  readonly bounds: Pass['bounds'];
}

/** Upstream's joint limit, from which ScalingLimited follows; the maximum is not looked at on the way down, nor the minimum on the way up. */
function withBounds({ desired, current, limit, bounds }: Bounded): Limit {
  const { min, max } = bounds;
  if (desired > current) {
    const upper = limit === null ? max : Math.min(limit, max);
    const reason = limit !== null && max > limit ? 'ScaleUpLimit' : 'TooManyReplicas';
    if (desired > upper) return { count: upper, reason };
  } else if (desired < current) {
    const lower = limit === null ? min : Math.max(limit, min);
    const reason = limit !== null && min < limit ? 'ScaleDownLimit' : 'TooFewReplicas';
    if (desired < lower) return { count: lower, reason };
  }
  return { count: desired, reason: 'DesiredWithinRange' };
}

function describe(
  { selectPolicy, policies }: DirectionRules,
  { isUp, limit }: { isUp: 'up' | 'down'; limit: number },
): string {
  if (selectPolicy === 'Disabled') return `selectPolicy Disabled: nothing may scale ${isUp}`;
  const list = (policies ?? []).map(({ type, value, periodSeconds }) => {
    return `${value} ${type === 'Pods' ? 'pods' : '%'} in ${periodSeconds} s`;
  });
  return `${list.join(', ')} (select ${selectPolicy ?? 'Max'}) allow ${limit} replicas`;
}

function least(counts: readonly number[]): number {
  return counts.reduce((a, b) => Math.min(a, b));
}

function greatest(counts: readonly number[]): number {
  return counts.reduce((a, b) => Math.max(a, b));
}
