import { type Pass, step, type Verdict } from '../pass/pass.ts';

/** The final bounds. They change the count only, never a condition; a count that could not be decided stays. */
export function minMax(pass: Pass): Verdict {
  const { bounds, count, present } = pass;
  const after = Math.min(Math.max(count, bounds.min), bounds.max);
  if (after === count || !isDecided(pass)) return 'next';
  step(pass, 'min-max', { after, because: `at ${after < count ? 'most' : 'least'} ${after} replicas` });
  if (pass.rescaleReason === '') pass.rescaleReason = 'Current number of replicas below Spec.MinReplicas';
  if (after === present) pass.keepReason = 'The bounds keep the present count';
  return 'next';
}

/** A paused target and a pass that holds are left where they are, unless a pin acts. */
function isDecided({ isPinned, isPinnable, hold, count, present }: Pass): boolean {
  return isPinned || (isPinnable && (hold === null || count !== present));
}
