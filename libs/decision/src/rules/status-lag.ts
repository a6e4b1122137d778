import { type Evaluation, note, type RuleOutcome } from '../evaluation/evaluation.ts';

/** Departure: the original scales to 1 where status.replicas is 0; status merely lags, so the pass holds. */
export function statusLag(evaluation: Evaluation): RuleOutcome {
  const { isWatermark, statusReplicas, present } = evaluation;
  if (!isWatermark || statusReplicas !== 0 || present === 0) return 'next';
  evaluation.isUndecided = true;
  evaluation.reason = 'The status of the target lags behind its scale';
  note(evaluation, 'status-lag', `status.replicas is 0 while spec.replicas is ${present}: the status lags`);
  return 'conclude';
}
