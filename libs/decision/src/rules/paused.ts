import { type Evaluation, note, type RuleOutcome } from '../evaluation/evaluation.ts';
import { hasObjectOrExternal } from '../evaluation/has-object-or-external.ts';

const message = 'scaling is disabled since the replica count of the target is zero';

/**
 * A person who sets the count to zero pauses the policy. A policy that scaled there itself goes on, in the HPA family
 * only: with a minimum above zero, or with a metric that needs no pods.
 *
 * @see KEP-2021
 */
export function paused(evaluation: Evaluation): RuleOutcome {
  if (!isPaused(evaluation)) return 'next';
  const { conditions, settings, isWatermark } = evaluation;
  conditions.set('ScalingActive', { status: 'False', reason: 'ScalingDisabled', message });
  if (!isWatermark && !settings.featureGates.ScaleToZero) conditions.remove('ScaledToZero');
  evaluation.isPinnable = false;
  evaluation.reason = 'Scaling is disabled since the replica count of the target is zero';
  note(evaluation, 'paused', message);
  return 'conclude';
}

/** Whether the target is at zero replicas that the policy did not choose. */
export function isPaused(evaluation: Evaluation): boolean {
  const { present, isWatermark, settings, conditions, bounds, policy } = evaluation;
  if (present !== 0) return false;
  const isOwnZero = settings.featureGates.ScaleToZero && conditions.isTrue('ScaledToZero');
  return isWatermark || !isOwnZero || (bounds.min === 0 && !hasObjectOrExternal(policy));
}
