import type { ActuationIntentPayload } from '#ledger';
import { isOwn } from '../hpa/plan-actuation.ts';
import type { AutoscalerReading, NativeAutoscaler } from '../ports/native-autoscalers.port.ts';
import type { WriteFailure } from './pending-write.ts';

/** What became of a write of an HPA whose answer was lost. */
export type HpaWriteOutcome =
  /** `autoscaler` is null after a deletion. */
  | { readonly kind: 'Written'; readonly autoscaler: NativeAutoscaler | null }
  | { readonly kind: 'Failed'; readonly failure: WriteFailure }
  /** The HPA could not be read: the write stays pending. */
  | { readonly kind: 'Unknown'; readonly message: string };

/**
 * Finds out what became of a write of an HPA that was announced, from the HPA as it is now:
 *
 * | verb | it was made where |
 * | --- | --- |
 * | Create | there is an HPA with our manager, and the policy's annotation or what was rendered |
 * | Update, Adopt | the HPA is the same one, in another version, and says what was rendered |
 * | Delete | there is none of that uid, or it is being deleted |
 *
 * What says otherwise was not written, or was undone since, which comes to the same. Pure.
 */
export function hpaWriteOutcomeOf(
  intent: ActuationIntentPayload,
  reading: AutoscalerReading,
): HpaWriteOutcome {
  if (reading.kind === 'Failed') return { kind: 'Unknown', message: reading.message };
  const live = reading.kind === 'Found' ? reading.autoscaler : null;
  if (intent.verb === 'Delete')
    return isDeleted(intent, live) ? { kind: 'Written', autoscaler: null } : notApplied;
  if (live === null) return { kind: 'Failed', failure: { code: 'NotApplied', message: 'there is no HPA' } };
  const isMade = intent.verb === 'Create' ? isCreated(intent, live) : isReplaced(intent, live);
  return isMade ? { kind: 'Written', autoscaler: live } : notApplied;
}

function isDeleted({ uid }: ActuationIntentPayload, live: NativeAutoscaler | null): boolean {
  return live === null || live.uid !== uid || live.isTerminating;
}

/** One that is made for a target that is left has no annotation. */
function isCreated({ policy, specDigest }: ActuationIntentPayload, live: NativeAutoscaler): boolean {
  return isOwn(policy, live) || (live.isWrittenByPlimsoll && live.digest === specDigest);
}

function isReplaced(intent: ActuationIntentPayload, live: NativeAutoscaler): boolean {
  const { uid, resourceVersion, specDigest } = intent;
  return live.uid === uid && live.resourceVersion !== resourceVersion && live.digest === specDigest;
}

const notApplied: HpaWriteOutcome = {
  kind: 'Failed',
  failure: {
    code: 'NotApplied',
    message: 'the HPA is not what was to be written: the write was not made, or was undone since',
  },
};
