import type { Evaluation, RuleOutcome } from '../evaluation/evaluation.ts';

/**
 * The scale was read, which the conditions say. The first evaluation of all remembers the present count as a
 * recommendation, which protects it for one window; upstream does so at every restart.
 */
export function scaleReadable(evaluation: Evaluation): RuleOutcome {
  const { conditions, present, time, isWatermark, isDryRun } = evaluation;
  evaluation.recommendations ??= [{ replicas: present, time }];
  if (!isWatermark) {
    const message = "the HPA controller was able to get the target's current scale";
    conditions.set('AbleToScale', { status: 'True', reason: 'SucceededGetScale', message });
    return 'next';
  }
  conditions.set('DryRun', {
    status: isDryRun ? 'True' : 'False',
    reason: isDryRun ? 'DryRunEnabled' : 'DryRunDisabled',
    message: `dryRun is ${isDryRun ? 'on' : 'off'}`,
  });
  return 'next';
}
