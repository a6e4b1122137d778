import type { ActuationVerb, RecordedHpa } from '#ledger';
import { callKubernetes } from '../pass/call-kubernetes.ts';
import type { AutoscalerReading } from '../ports/native-autoscalers.port.ts';
import type { ScaleWriteFailure } from '../ports/scale.port.ts';
import type { RecordedActuation } from '../runtime/pending-write.ts';
import { type HpaWriteOutcome, hpaWriteOutcomeOf } from './hpa-write-outcome.ts';
import {
  type Finding,
  type FindingPass,
  type UnansweredWrite,
  withVersionRetired,
} from './retire-version.ts';

/** Writes that are made on a version. One that creates has none; one that deletes names the uid alone. */
const versioned: ReadonlySet<ActuationVerb> = new Set(['Update', 'Adopt']);

/** What is known of the HPA of a write. */
interface HpaSearch extends Pick<UnansweredWrite, 'isDryRun' | 'waits'> {
  readonly recorded: RecordedHpa | null;
}

/**
 * Finds out what became of a write of an HPA that was announced; a replacement that is called not made cannot be made any
 * more.
 *
 * @throws DeadlineExceeded
 */
export async function findHpaWriteOutcome(
  pass: FindingPass,
  { payload }: RecordedActuation,
  { isDryRun, waits, recorded }: HpaSearch,
): Promise<HpaWriteOutcome> {
  const { policy } = payload;
  const before = recorded?.uid === payload.uid ? recorded.answered : null;
  return withVersionRetired(pass, { policy, isDryRun, waits }, () => look(pass, payload, before));
}

/**
 * Finds out what became of a write of an HPA that was refused (409). A request that is delivered twice is made, and then
 * refused: what the HPA says, and who wrote it, decides.
 *
 * @param before digest of the HPA before the write; null: there was none
 * @throws DeadlineExceeded
 */
export async function findConflictedHpaWrite(
  pass: Pick<FindingPass, 'ports' | 'semaphore' | 'deadline'>,
  payload: RecordedActuation['payload'],
  before: string | null,
): Promise<{ readonly reading: AutoscalerReading; readonly outcome: HpaWriteOutcome }> {
  const reading = await callKubernetes(pass, 'GET of its HPA after a conflict', (signal) =>
    pass.ports.nativeAutoscalers.readAutoscaler(payload.policy, signal),
  );
  return { reading, outcome: hpaWriteOutcomeOf(payload, reading, before) };
}

/**
 * Looks for an HPA whose deletion the API server has just said it made.
 *
 * @returns why the deletion was not made; null: it was, or the HPA cannot be read
 * @throws DeadlineExceeded
 */
export async function findUndoneDeletion(
  pass: Pick<FindingPass, 'ports' | 'semaphore' | 'deadline'>,
  payload: RecordedActuation['payload'],
): Promise<ScaleWriteFailure | null> {
  const reading = await callKubernetes(pass, 'GET of its HPA after its deletion', (signal) =>
    pass.ports.nativeAutoscalers.readAutoscaler(payload.policy, signal),
  );
  const outcome = hpaWriteOutcomeOf(payload, reading, null);
  if (outcome.kind !== 'Failed') return null;
  const { code, message } = outcome.failure;
  return { code, message: `${message}, ${thoughSaid}`, retryable: false };
}

/** Of a write that the API server answered as made. */
export const thoughSaid = 'though the API server said that it did it';

async function look(
  pass: FindingPass,
  payload: RecordedActuation['payload'],
  before: string | null,
): Promise<Finding<HpaWriteOutcome>> {
  const { nativeAutoscalers } = pass.ports;
  const reading = await callKubernetes(pass, 'GET of its HPA, to find out what became of a write', (signal) =>
    nativeAutoscalers.readAutoscaler(payload.policy, signal),
  );
  const outcome = hpaWriteOutcomeOf(payload, reading, before);
  if (reading.kind !== 'Found' || reading.autoscaler.uid !== payload.uid || !versioned.has(payload.verb))
    return { outcome, retire: null };
  const { autoscaler, document } = reading;
  return {
    outcome,
    retire: (unwanted) =>
      callKubernetes(pass, 'PUT of its HPA in another version', (signal) =>
        nativeAutoscalers.retireVersion({ live: { autoscaler, document }, unwanted }, signal),
      ),
  };
}
