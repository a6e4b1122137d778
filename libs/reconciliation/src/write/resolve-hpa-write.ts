import { callKubernetes } from '../pass/call-kubernetes.ts';
import type { Pass } from '../pass/pass.ts';
import { type HpaWriteOutcome, hpaWriteOutcomeOf } from './hpa-write-outcome.ts';
import type { RecordedActuation } from './pending-write.ts';

/**
 * Finds out what became of a write of an HPA that was announced.
 *
 * @throws DeadlineExceeded
 */
export async function findHpaWriteOutcome(
  pass: Pick<Pass, 'ports' | 'semaphore' | 'deadline'>,
  { payload }: RecordedActuation,
): Promise<HpaWriteOutcome> {
  const reading = await callKubernetes(pass, 'GET of its HPA, to find out what became of a write', (signal) =>
    pass.ports.nativeAutoscalers.readAutoscaler(payload.policy, signal),
  );
  const outcome = hpaWriteOutcomeOf(payload, reading);
  if (outcome.kind !== 'Written' || outcome.autoscaler === null) return outcome;
  // What somebody wrote since is found as a drift from what was to be written.
  const digest = payload.specDigest ?? outcome.autoscaler.digest;
  return { kind: 'Written', autoscaler: { ...outcome.autoscaler, digest } };
}
