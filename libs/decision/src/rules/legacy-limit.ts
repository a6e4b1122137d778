import { toReplicas } from '../metrics/exact.ts';
import { type Pass, step, type Verdict } from '../pass/pass.ts';
import { type Limit, setScalingLimited } from './scaling-limited.ts';

/** Without `behavior` a pass grows to twice the present count, or to 4 if that is more; nothing limits the way down (hpa.md 11.2). */
export function legacyLimit(pass: Pass): Verdict {
  const { policy, isWatermark, settings, bounds } = pass;
  if (isWatermark || policy.behavior.isSet) return 'next';
  const current = pass.present;
  const desired = pass.count;
  const { factor, minimum } = settings.legacyScaleUpLimit;
  const limit = Math.trunc(toReplicas(Math.max(factor * current, minimum)));
  setScalingLimited(pass, limited({ desired, limit, bounds }));
  if (desired > limit && bounds.max > limit) {
    const because = `at most ${factor} times the present ${current} replicas, or ${minimum}`;
    step(pass, 'legacy-limit', { after: limit, because });
  }
  return 'next';
}

function limited(given: { desired: number; limit: number; bounds: Pass['bounds'] }): Limit {
  const { desired, limit, bounds } = given;
  const upper = Math.min(bounds.max, limit);
  if (desired < bounds.min) return { count: bounds.min, reason: 'TooFewReplicas' };
  if (desired > upper)
    return { count: upper, reason: bounds.max > limit ? 'ScaleUpLimit' : 'TooManyReplicas' };
  return { count: desired, reason: 'DesiredWithinRange' };
}
