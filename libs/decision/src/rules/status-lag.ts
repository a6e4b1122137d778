import { note, type Pass, type Verdict } from '../pass/pass.ts';

/** Departure: the original scales to 1 where status.replicas is 0; status merely lags, so the pass holds. */
export function statusLag(pass: Pass): Verdict {
  const { isWatermark, statusReplicas, present } = pass;
  if (!isWatermark || statusReplicas !== 0 || present === 0) return 'next';
  pass.hold = 'The status of the target lags behind its scale';
  note(pass, 'status-lag', `status.replicas is 0 while spec.replicas is ${present}: the status lags`);
  return 'conclude';
}
