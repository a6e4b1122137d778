import { type Pass, step, type Verdict } from '../pass/pass.ts';

/** A count outside the bounds goes to the nearer one at once, and no metric is asked. */
export function minMaxCorrection(pass: Pass): Verdict {
  const { bounds, current } = pass;
  // Zero is not corrected: it is paused, or the policy's own.
  if (current === null || current === 0) return 'next';
  if (current > bounds.max) {
    pass.rescaleReason = 'Current number of replicas above Spec.MaxReplicas';
    const because = `${current} replicas are more than the maximum of ${bounds.max}`;
    step(pass, 'min-max-correction', { after: bounds.max, because });
    return 'conclude';
  }
  if (current < bounds.min) {
    pass.rescaleReason = 'Current number of replicas below Spec.MinReplicas';
    const because = `${current} replicas are fewer than the minimum of ${bounds.min}`;
    step(pass, 'min-max-correction', { after: bounds.min, because });
    return 'conclude';
  }
  return 'next';
}
