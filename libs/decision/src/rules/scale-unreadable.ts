import { note, type Pass, type Verdict } from '../pass/pass.ts';

/** Without a scale there is no count to decide about. With one, the first pass of all remembers it. */
export function scaleUnreadable(pass: Pass): Verdict {
  const { observation, conditions, current } = pass;
  if (current !== null) {
    recordInitially(pass, current);
    return 'next';
  }
  const { error } = observation.scale;
  const why = `${error?.reason ?? 'Failed'}: ${error?.message ?? 'no message'}`;
  const message = `the HPA controller was unable to get the target's current scale: ${why}`;
  conditions.set('AbleToScale', { status: 'False', reason: 'FailedGetScale', message });
  pass.isAbleToScaleOpen = false;
  pass.hold = 'The scale could not be read';
  note(pass, 'scale-unreadable', `the scale could not be read: ${why}`);
  return 'end';
}

/** The present count is the first recommendation, which protects it for one window; upstream does so at every restart. */
function recordInitially(pass: Pass, current: number): void {
  pass.recommendations ??= [{ replicas: current, time: pass.time }];
  if (!pass.isWatermark) {
    const message = "the HPA controller was able to get the target's current scale";
    pass.conditions.set('AbleToScale', { status: 'True', reason: 'SucceededGetScale', message });
    return;
  }
  const { dryRun } = pass.policy;
  pass.conditions.set('DryRun', {
    status: dryRun ? 'True' : 'False',
    reason: dryRun ? 'DryRunEnabled' : 'DryRunDisabled',
    message: `dryRun is ${dryRun ? 'on' : 'off'}`,
  });
}
