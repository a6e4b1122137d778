import { type Evaluation, type RuleOutcome, step } from '../evaluation/evaluation.ts';
import { type Limit, setScalingLimited } from '../evaluation/set-scaling-limited.ts';
import { toReplicas } from '../metrics/exact-sum.ts';

/**
 * Without `behavior` the count at most doubles, or grows to 4 if that is more; nothing limits scaling down.
 *
 * @see docs/spec/horizontal-pod-autoscaler-rules.md "Without behavior"
 */
export function legacyLimit(evaluation: Evaluation): RuleOutcome {
  const { policy, isWatermark, settings, bounds } = evaluation;
  if (isWatermark || policy.behavior.isSet) return 'next';
  const present = evaluation.present;
  const desired = evaluation.count;
  const { factor, minimum } = settings.legacyScaleUpLimit;
  const limit = Math.trunc(toReplicas(Math.max(factor * present, minimum)));
  setScalingLimited(evaluation, limited({ desired, limit, bounds }));
  if (desired > limit && bounds.max > limit) {
    const because = `at most ${factor} times the present ${present} replicas, or ${minimum}`;
    step(evaluation, 'legacy-limit', { after: limit, because });
    if (limit === present) evaluation.reason = 'The legacy limit keeps the present count';
  }
  return 'next';
}

function limited(given: { desired: number; limit: number; bounds: Evaluation['bounds'] }): Limit {
  const { desired, limit, bounds } = given;
  const upper = Math.min(bounds.max, limit);
  if (desired < bounds.min) return { count: bounds.min, reason: 'TooFewReplicas' };
  if (desired > upper)
    return { count: upper, reason: bounds.max > limit ? 'ScaleUpLimit' : 'TooManyReplicas' };
  return { count: desired, reason: 'DesiredWithinRange' };
}
