import type { LifecycleBlock } from '#policy';
import { note, type Pass, type Verdict } from '../pass/pass.ts';
import { isPaused } from './paused.ts';

/**
 * The object that `spec.lifecycle` names may stop the policy; not observed it does. A blocked pass looks no further
 * and records nothing; only a pin acts, unless the target is paused at zero.
 */
export function lifecycle(pass: Pass): Verdict {
  const block = pass.policy.lifecycle;
  if (block === undefined) return 'next';
  const { blocked, reason, message } = stateOf(pass, block);
  pass.conditions.set('ScalingBlocked', { status: blocked ? 'True' : 'False', reason, message });
  if (!blocked) return 'next';
  pass.isRecorded = false;
  pass.isAbleToScaleOpen = false;
  pass.hold = 'Scaling is blocked by the lifecycle object';
  note(pass, 'lifecycle', `${block.kind} ${block.name} blocks scaling: ${reason}, ${message}`);
  if (pass.current === null) return 'end';
  if (isPaused(pass)) {
    pass.isPinnable = false;
    note(pass, 'paused', 'the replica count of the target is zero, so scaling is disabled too');
  }
  return 'conclude';
}

/** What was observed of the object, or that it was not. */
function stateOf({ observation }: Pass, { kind, name }: LifecycleBlock): LifecycleState {
  const { lifecycle: observed } = observation;
  if (observed === null || observed === undefined)
    return { blocked: true, reason: 'NotObserved', message: `${kind} ${name} was not observed` };
  const { blocked } = observed;
  return {
    blocked,
    reason: observed.reason ?? (blocked ? 'Blocked' : 'NotBlocked'),
    message: observed.message ?? `${kind} ${name} ${blocked ? 'blocks' : 'does not block'} scaling`,
  };
}

interface LifecycleState {
  readonly blocked: boolean;
  readonly reason: string;
  readonly message: string;
}
