import { type Evaluation, note, type RuleOutcome } from '../evaluation/evaluation.ts';

/** A status.replicas of 0 lags behind the scale. The original scales to 1 there; here nothing is decided. */
export function statusLag(evaluation: Evaluation): RuleOutcome {
  const { isWatermark, statusReplicas, present } = evaluation;
  if (!isWatermark || statusReplicas !== 0 || present === 0) return 'next';
  evaluation.isUndecided = true;
  evaluation.reason = 'The status of the target lags behind its scale';
  note(evaluation, 'status-lag', `status.replicas is 0 while spec.replicas is ${present}: the status lags`);
  return 'conclude';
}
