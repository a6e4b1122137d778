import { type Evaluation, type RuleOutcome, step } from '../evaluation/evaluation.ts';

/** A count outside the bounds goes to the nearer one at once, without evaluating a metric. */
export function minMaxCorrection(evaluation: Evaluation): RuleOutcome {
  const { bounds, present } = evaluation;
  // Zero is not corrected: the target is paused, or the policy itself scaled it to zero.
  if (present === 0) return 'next';
  if (present > bounds.max) {
    evaluation.reason = 'Current number of replicas above Spec.MaxReplicas';
    const because = `${present} replicas are more than the maximum of ${bounds.max}`;
    step(evaluation, 'min-max-correction', { after: bounds.max, because });
    return 'conclude';
  }
  if (present < bounds.min) {
    evaluation.reason = 'Current number of replicas below Spec.MinReplicas';
    const because = `${present} replicas are fewer than the minimum of ${bounds.min}`;
    step(evaluation, 'min-max-correction', { after: bounds.min, because });
    return 'conclude';
  }
  return 'next';
}
