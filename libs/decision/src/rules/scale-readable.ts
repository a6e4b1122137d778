import type { Evaluation, RuleOutcome } from '../evaluation/evaluation.ts';

/**
 * The scale was read, which the conditions say. The first evaluation of all remembers the present count as a
 * recommendation, which protects it for one window; upstream does so at every restart.
 */
export function scaleReadable(evaluation: Evaluation): RuleOutcome {
  const { conditions, present, time, isWatermark, policy } = evaluation;
  evaluation.recommendations ??= [{ replicas: present, time }];
  if (!isWatermark) {
    const message = "the HPA controller was able to get the target's current scale";
    conditions.set('AbleToScale', { status: 'True', reason: 'SucceededGetScale', message });
    return 'next';
  }
  const { dryRun } = policy;
  conditions.set('DryRun', {
    status: dryRun ? 'True' : 'False',
    reason: dryRun ? 'DryRunEnabled' : 'DryRunDisabled',
    message: `dryRun is ${dryRun ? 'on' : 'off'}`,
  });
  return 'next';
}
