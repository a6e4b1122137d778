import { note, type Pass, type Verdict } from '../pass/pass.ts';

/** `enabled: false`: nothing is looked at, nothing is remembered, the count stays. */
export function disabled(pass: Pass): Verdict {
  if (pass.policy.enabled) return 'next';
  pass.isRecorded = false;
  pass.isAbleToScaleOpen = false;
  pass.keepReason = 'Disabled';
  note(pass, 'disabled', 'the policy is disabled (enabled: false)');
  return 'end';
}
