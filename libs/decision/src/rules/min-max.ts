import { step, type Pass, type Verdict } from '../pass/pass.ts';

/** The final bounds. They change the count only, never a condition. */
export function minMax(pass: Pass): Verdict {
  const { bounds, count, hold, isPinnable, current } = pass;
  const isUndecided = count === null || !isPinnable || (hold !== null && count === current);
  if (isUndecided) return 'next';
  if (count >= bounds.min && count <= bounds.max) return 'next';
  const isAbove = count > bounds.max;
  const after = isAbove ? bounds.max : bounds.min;
  step(pass, 'min-max', { after, because: `at ${isAbove ? 'most' : 'least'} ${after} replicas` });
  if (pass.rescaleReason === '') pass.rescaleReason = 'Current number of replicas below Spec.MinReplicas';
  if (after === current) pass.keepReason = 'The bounds keep the present count';
  return 'next';
}
