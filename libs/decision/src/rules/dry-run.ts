import { describeIntervention, isInForce } from '../evaluation/describe-intervention.ts';
import { type Evaluation, note, type RuleOutcome } from '../evaluation/evaluation.ts';

/** Names the interventions that let nothing be written; the count is decided all the same. Expired ones are named. */
export function dryRun(evaluation: Evaluation): RuleOutcome {
  for (const intervention of evaluation.interventions) {
    if (intervention.kind !== 'DryRun') continue;
    const effect = isInForce(evaluation, intervention) ? ': nothing is written' : ' has expired';
    note(evaluation, 'dry-run', `${describeIntervention(intervention)}${effect}`);
  }
  return 'next';
}
