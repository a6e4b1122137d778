import { note, type Pass, type Verdict } from '../pass/pass.ts';

/** Departure: the original scales to 1 where status.replicas is 0; status merely lags, so the pass holds. */
export function statusLag(pass: Pass): Verdict {
  const { isWatermark, statusReplicas, current } = pass;
  if (!isWatermark || statusReplicas !== 0 || current === 0) return 'next';
  pass.hold = 'The status of the target lags behind its scale';
  note(pass, 'status-lag', `status.replicas is 0 while spec.replicas is ${current ?? 0}: the status lags`);
  return 'conclude';
}
