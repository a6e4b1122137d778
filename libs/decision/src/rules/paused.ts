import { hasObjectOrExternal } from '../metrics/evaluate-metrics.ts';
import { note, type Pass, type Verdict } from '../pass/pass.ts';

const message = 'scaling is disabled since the replica count of the target is zero';

/**
 * A person who sets the count to zero pauses the policy. A policy that scaled there itself goes on, in the HPA family
 * only: with a minimum above zero, or with a metric that needs no pods.
 *
 * @see KEP-2021
 */
export function paused(pass: Pass): Verdict {
  if (!isPaused(pass)) return 'next';
  const { conditions, settings, isWatermark } = pass;
  conditions.set('ScalingActive', { status: 'False', reason: 'ScalingDisabled', message });
  if (!isWatermark && !settings.featureGates.ScaleToZero) conditions.remove('ScaledToZero');
  pass.isPinnable = false;
  pass.keepReason = 'Scaling is disabled since the replica count of the target is zero';
  note(pass, 'paused', message);
  return 'conclude';
}

/** Whether a count of zero means that nothing is computed. */
export function isPaused(pass: Pass): boolean {
  const { current, isWatermark, settings, conditions, bounds, policy } = pass;
  if (current !== 0) return false;
  const isOwnZero = settings.featureGates.ScaleToZero && conditions.isTrue('ScaledToZero');
  return isWatermark || !isOwnZero || (bounds.min === 0 && !hasObjectOrExternal(policy));
}
