import { isPaused } from './paused.ts';
import { note, type Pass, type Verdict } from '../pass/pass.ts';

/**
 * The object that `spec.lifecycle` names may stop the policy; not observed it does. A blocked pass looks no further
 * and records nothing; only a pin acts, unless the target is paused at zero.
 */
export function lifecycle(pass: Pass): Verdict {
  const { policy, observation, conditions } = pass;
  if (policy.lifecycle === undefined) return 'next';
  const { kind, name } = policy.lifecycle;
  const observed = observation.lifecycle ?? {
    blocked: true,
    reason: 'NotObserved',
    message: `${kind} ${name} was not observed`,
  };
  const reason = observed.reason ?? (observed.blocked ? 'Blocked' : 'NotBlocked');
  const message =
    observed.message ?? `${kind} ${name} ${observed.blocked ? 'blocks' : 'does not block'} scaling`;
  conditions.set('ScalingBlocked', { status: observed.blocked ? 'True' : 'False', reason, message });
  if (!observed.blocked) return 'next';
  pass.isRecorded = false;
  pass.isAbleToScaleOpen = false;
  pass.hold = 'Scaling is blocked by the lifecycle object';
  note(pass, 'lifecycle', `${kind} ${name} blocks scaling: ${reason}, ${message}`);
  if (pass.current === null) return 'end';
  if (isPaused(pass)) {
    pass.isPinnable = false;
    note(pass, 'paused', 'the replica count of the target is zero, so scaling is disabled too');
  }
  return 'conclude';
}
