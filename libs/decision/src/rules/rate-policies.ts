import { addSeconds } from '#kernel';
import type { DirectionRules, RatePolicy } from '#policy';
import { type Evaluation, type RuleOutcome, step } from '../evaluation/evaluation.ts';
import { isAfter } from '../evaluation/overwrite-outdated.ts';
import { type Limit, setScalingLimited } from '../evaluation/set-scaling-limited.ts';
import { maxReplicas } from '../metrics/exact-sum.ts';
import type { TimedReplicas } from '../model/memory.ts';
import type { Optional } from '../model/observation.ts';

/**
 * The rate policies of `behavior`: how far the count may be from where it was a period ago. In the watermark
 * family only those that are written.
 *
 * @see https://kubernetes.io/docs/concepts/workloads/autoscaling/horizontal-pod-autoscale/#scaling-policies
 * @see docs/spec/horizontal-pod-autoscaler-rules.md "Rate policies"
 */
export function ratePolicies(evaluation: Evaluation): RuleOutcome {
  const { policy, isWatermark, bounds, present, count } = evaluation;
  if (!isWatermark && !policy.behavior.isSet) return 'next';
  const limit = limitFor(evaluation);
  if (!isWatermark) setScalingLimited(evaluation, withBounds({ desired: count, present, limit, bounds }));
  if (limit === null) return 'next';
  const isUp = count > present;
  if (!binds(evaluation, limit)) return 'next';
  const rules = isUp ? policy.behavior.scaleUp : policy.behavior.scaleDown;
  step(evaluation, 'rate-policies', { after: limit, because: describe(rules, limit) });
  if (limit === present) evaluation.reason = 'The rate policies keep the present count';
  return 'next';
}

/** Whether the limit, and not a bound beyond it, is what stops the change; watermark policies bound it later. */
function binds({ isWatermark, present, count, bounds }: Evaluation, limit: number): boolean {
  if (count > present) return count > limit && (isWatermark || bounds.max > limit);
  return count < limit && (isWatermark || bounds.min < limit);
}

/** How far the wanted change may go; null: nothing limits it, or nothing changes. */
function limitFor(evaluation: Evaluation): number | null {
  const { policy, present, count } = evaluation;
  if (count === present) return null;
  return count > present
    ? upLimit(evaluation, policy.behavior.scaleUp)
    : downLimit(evaluation, policy.behavior.scaleDown);
}

/** Never below the present count; null: no policy limits the way up. */
function upLimit(evaluation: Evaluation, rules: DirectionRules): number | null {
  const present = evaluation.present;
  const limits = limitsOf(evaluation, rules, (start, { type, value }) =>
    type === 'Pods' ? start + value : Math.ceil(start * (1 + value / 100)),
  );
  if (limits === null) return null;
  const picked = rules.selectPolicy === 'Min' ? least(limits) : greatest(limits);
  return Math.min(Math.max(picked, present), maxReplicas);
}

/** Never above the present count; null: no policy limits the way down. */
function downLimit(evaluation: Evaluation, rules: DirectionRules): number | null {
  const present = evaluation.present;
  const limits = limitsOf(evaluation, rules, (start, { type, value }) =>
    type === 'Pods' ? start - value : Math.trunc(start * (1 - value / 100)),
  );
  if (limits === null) return null;
  const picked = rules.selectPolicy === 'Min' ? greatest(limits) : least(limits);
  return Math.min(picked, present);
}

/** Each policy's limit from the count at its period's start; `Disabled` allows no change; null: nothing is written. */
function limitsOf(
  evaluation: Evaluation,
  { selectPolicy, policies }: DirectionRules,
  propose: (start: number, policy: RatePolicy) => number,
): readonly number[] | null {
  const present = evaluation.present;
  if (selectPolicy === 'Disabled') return [present];
  if (policies === undefined || policies.length === 0) return null;
  const { scaleUpEvents, scaleDownEvents } = evaluation.memory;
  return policies.map((policy) => {
    const added = changeWithin(evaluation, scaleUpEvents, policy.periodSeconds);
    const removed = changeWithin(evaluation, scaleDownEvents, policy.periodSeconds);
    return propose(present - added + removed, policy);
  });
}

function changeWithin(
  { now }: Evaluation,
  events: Optional<readonly TimedReplicas[]>,
  seconds: number,
): number {
  const cutoff = addSeconds(now, -seconds);
  let sum = 0;
  for (const { replicas, time } of events ?? []) if (isAfter(time, cutoff)) sum += replicas;
  return sum;
}

interface Bounded {
  readonly desired: number;
  readonly present: number;
  readonly limit: number | null;
  readonly bounds: Evaluation['bounds'];
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
