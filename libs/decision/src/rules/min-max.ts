import { step, type Pass, type Verdict } from '../pass/pass.ts';

/** The final bounds. They change the count only, never a condition; a count that could not be decided stays. */
export function minMax(pass: Pass): Verdict {
  const { bounds, count, present } = pass;
  const isUndecided = !pass.isPinnable || (pass.hold !== null && count === present);
  if (isUndecided && !pass.isPinned) return 'next';
  if (count >= bounds.min && count <= bounds.max) return 'next';
  const isAbove = count > bounds.max;
  const after = isAbove ? bounds.max : bounds.min;
  step(pass, 'min-max', { after, because: `at ${isAbove ? 'most' : 'least'} ${after} replicas` });
  if (pass.rescaleReason === '') pass.rescaleReason = 'Current number of replicas below Spec.MinReplicas';
  if (after === present) pass.keepReason = 'The bounds keep the present count';
  return 'next';
}
