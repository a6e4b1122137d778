import { type Evaluation, note, type RuleOutcome, type UnreadEvaluation } from '../evaluation/evaluation.ts';

/** `enabled: false`: nothing is evaluated, nothing is remembered, the count stays. */
export function disabled(evaluation: Evaluation): RuleOutcome {
  return isDisabled(evaluation) ? 'end' : 'next';
}

/** Whether the policy is disabled; if so, the evaluation reports it. */
export function isDisabled(evaluation: Evaluation | UnreadEvaluation): boolean {
  if (evaluation.policy.enabled) return false;
  evaluation.isRecorded = false;
  evaluation.isAbleToScaleOpen = false;
  evaluation.reason = 'Disabled';
  note(evaluation, 'disabled', 'the policy is disabled (enabled: false)');
  return true;
}
