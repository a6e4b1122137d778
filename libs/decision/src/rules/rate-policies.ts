import { addSeconds } from '#kernel';
import type { DirectionRules, RatePolicy } from '#policy';
import { maxReplicas } from '../metrics/exact.ts';
import type { TimedReplicas } from '../model/memory.ts';
import type { Optional } from '../model/observation.ts';
import { type Pass, step, type Verdict } from '../pass/pass.ts';
import { isAfter } from './recommendations.ts';
import { type Limit, setScalingLimited } from './scaling-limited.ts';

/**
 * The rate policies of `behavior`: how far the count may be from where it was a period ago (hpa.md 12.3). In the
 * watermark family only those that are written.
 *
 * @see https://kubernetes.io/docs/concepts/workloads/autoscaling/horizontal-pod-autoscale/#scaling-policies
 */
export function ratePolicies(pass: Pass): Verdict {
  const { policy, isWatermark, bounds, present, count } = pass;
  if (!isWatermark && !policy.behavior.isSet) return 'next';
  const limit = limitFor(pass);
  if (!isWatermark) setScalingLimited(pass, withBounds({ desired: count, present, limit, bounds }));
  if (limit === null) return 'next';
  const isUp = count > present;
  if (!binds(pass, limit)) return 'next';
  const rules = isUp ? policy.behavior.scaleUp : policy.behavior.scaleDown;
  step(pass, 'rate-policies', { after: limit, because: describe(rules, limit) });
  if (limit === present) pass.keepReason = 'The rate policies keep the present count';
  return 'next';
}

/** Whether the limit, and not a bound beyond it, is what stops the change; watermark policies bound it later. */
function binds({ isWatermark, present, count, bounds }: Pass, limit: number): boolean {
  if (count > present) return count > limit && (isWatermark || bounds.max > limit);
  return count < limit && (isWatermark || bounds.min < limit);
}

/** How far the wanted change may go; null: nothing limits it, or nothing changes. */
function limitFor(pass: Pass): number | null {
  const { policy, present, count } = pass;
  if (count === present) return null;
  return count > present
    ? upLimit(pass, policy.behavior.scaleUp)
    : downLimit(pass, policy.behavior.scaleDown);
}

/** Never below the present count; null: no policy limits the way up. */
function upLimit(pass: Pass, rules: DirectionRules): number | null {
  const current = pass.present;
  const limits = limitsOf(pass, rules, (start, { type, value }) =>
    type === 'Pods' ? start + value : Math.ceil(start * (1 + value / 100)),
  );
  if (limits === null) return null;
  const picked = rules.selectPolicy === 'Min' ? least(limits) : greatest(limits);
  return Math.min(Math.max(picked, current), maxReplicas);
}

/** Never above the present count; null: no policy limits the way down. */
function downLimit(pass: Pass, rules: DirectionRules): number | null {
  const current = pass.present;
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
  const current = pass.present;
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
  readonly present: number;
  readonly limit: number | null;
  readonly bounds: Pass['bounds'];
}

/** Upstream's joint limit, from which ScalingLimited follows; the maximum is not looked at on the way down, nor the minimum on the way up. */
function withBounds(given: Bounded): Limit {
  const { desired, present } = given;
  const within: Limit = { count: desired, reason: 'DesiredWithinRange' };
  if (desired === present) return within;
  const edge = desired > present ? upperEdge(given) : lowerEdge(given);
  const isBeyond = desired > present ? desired > edge.count : desired < edge.count;
  return isBeyond ? edge : within;
}

function upperEdge({ limit, bounds }: Bounded): Limit {
  const isRate = limit !== null && bounds.max > limit;
  return isRate ? { count: limit, reason: 'ScaleUpLimit' } : { count: bounds.max, reason: 'TooManyReplicas' };
}

function lowerEdge({ limit, bounds }: Bounded): Limit {
  const isRate = limit !== null && bounds.min < limit;
  return isRate
    ? { count: limit, reason: 'ScaleDownLimit' }
    : { count: bounds.min, reason: 'TooFewReplicas' };
}

function describe({ selectPolicy, policies }: DirectionRules, limit: number): string {
  if (selectPolicy === 'Disabled') return 'selectPolicy Disabled: this direction is off';
  const list = (policies ?? []).map(
    ({ type, value, periodSeconds }) => `${value} ${type === 'Pods' ? 'pods' : '%'} in ${periodSeconds} s`,
  );
  return `${list.join(', ')} (select ${selectPolicy ?? 'Max'}) allow ${limit} replicas`;
}

function least(counts: readonly number[]): number {
  return counts.reduce((a, b) => Math.min(a, b));
}

function greatest(counts: readonly number[]): number {
  return counts.reduce((a, b) => Math.max(a, b));
}
