import { type Evaluation, type RuleOutcome, step, toBounds } from '../evaluation/evaluation.ts';
import { rescaleReason } from '../evaluation/rescale-reason.ts';

/**
 * The final bounds. They change the count only, never a condition. A paused target and a count that could not be
 * decided stay, unless a pin acts.
 */
export function minMax(evaluation: Evaluation): RuleOutcome {
  const { bounds, count, isPinnable, isPinned, isUndecided } = evaluation;
  const after = toBounds(count, bounds);
  if (after === count || !isPinnable || isUndecided) return 'next';
  if (!isPinned) evaluation.reason = reasonFor(evaluation, after);
  step(evaluation, 'min-max', { after, because: `at ${after < count ? 'most' : 'least'} ${after} replicas` });
  return 'next';
}

function reasonFor(evaluation: Evaluation, after: number): string {
  const { present, count, reason } = evaluation;
  if (after === present) return 'The bounds keep the present count';
  if (present !== 0 || after < count) return reason;
  return rescaleReason(evaluation) ?? 'Current number of replicas below Spec.MinReplicas';
}
