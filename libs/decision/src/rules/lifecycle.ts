import type { LifecycleBlock } from '#policy';
import { type Evaluation, note, type RuleOutcome, type UnreadEvaluation } from '../evaluation/evaluation.ts';
import { isPaused } from './paused.ts';

/**
 * The object that `spec.lifecycle` names may block the policy; where it was not observed, it does. A blocked evaluation
 * stops here and records nothing; only a pin acts, unless the target is paused at zero.
 */
export function lifecycle(evaluation: Evaluation): RuleOutcome {
  if (!isBlocked(evaluation)) return 'next';
  if (isPaused(evaluation)) {
    evaluation.isPinnable = false;
    note(evaluation, 'paused', 'the replica count of the target is zero, so scaling is disabled too');
  }
  return 'conclude';
}

/** Whether the object blocks the policy; if so, the evaluation reports it. */
export function isBlocked(evaluation: Evaluation | UnreadEvaluation): boolean {
  const block = evaluation.policy.lifecycle;
  if (block === undefined) return false;
  const { blocked, reason, message } = stateOf(evaluation, block);
  evaluation.conditions.set('ScalingBlocked', { status: blocked ? 'True' : 'False', reason, message });
  if (!blocked) return false;
  evaluation.isRecorded = false;
  evaluation.isAbleToScaleOpen = false;
  evaluation.isUndecided = true;
  evaluation.reason = 'Scaling is blocked by the lifecycle object';
  note(evaluation, 'lifecycle', `${block.kind} ${block.name} blocks scaling: ${reason}, ${message}`);
  return true;
}

function stateOf(
  { observation }: Evaluation | UnreadEvaluation,
  { kind, name }: LifecycleBlock,
): LifecycleState {
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
