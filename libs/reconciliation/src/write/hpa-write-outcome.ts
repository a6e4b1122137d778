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
 * Where it says otherwise, only an HPA of the version that the write was for shows that it was not made (`NotApplied`). In
 * every other case it was not made, or was undone unseen (`Overtaken`), which comes to the same for what is next. Pure.
 */
export function hpaWriteOutcomeOf(
  intent: ActuationIntentPayload,
  reading: AutoscalerReading,
): HpaWriteOutcome {
  if (reading.kind === 'Failed') return { kind: 'Unknown', message: reading.message };
  const live = reading.kind === 'Found' ? reading.autoscaler : null;
  switch (intent.verb) {
    case 'Delete':
      return isDeleted(intent, live) ? { kind: 'Written', autoscaler: null } : notApplied;
    case 'Create':
      return outcomeOfCreation(intent, live);
    case 'Update':
    case 'Adopt':
      return outcomeOfReplacement(intent, live);
  }
}

function outcomeOfCreation(intent: ActuationIntentPayload, live: NativeAutoscaler | null): HpaWriteOutcome {
  if (live === null) return overtaken('there is no HPA');
  return isCreated(intent, live) ? { kind: 'Written', autoscaler: live } : overtaken('another HPA is there');
}

function outcomeOfReplacement(
  { uid, resourceVersion, specDigest }: ActuationIntentPayload,
  live: NativeAutoscaler | null,
): HpaWriteOutcome {
  if (live?.uid !== uid) return overtaken('the HPA was deleted or made anew');
  if (live.resourceVersion === resourceVersion) return notApplied;
  return live.digest === specDigest
    ? { kind: 'Written', autoscaler: live }
    : overtaken('the HPA has changed since');
}

function isDeleted({ uid }: ActuationIntentPayload, live: NativeAutoscaler | null): boolean {
  return live === null || live.uid !== uid || live.isTerminating;
}

/** One that is made for a target that is left has no annotation. */
function isCreated({ policy, specDigest }: ActuationIntentPayload, live: NativeAutoscaler): boolean {
  return isOwn(policy, live) || (live.isWrittenByPlimsoll && live.digest === specDigest);
}

const notApplied: HpaWriteOutcome = {
  kind: 'Failed',
  failure: {
    code: 'NotApplied',
    message: 'the HPA is as it was: the write was not made',
    mayHaveBeenMade: false,
  },
};

function overtaken(found: string): HpaWriteOutcome {
  const message = `${found}: the write was not made, or was undone unseen`;
  return { kind: 'Failed', failure: { code: 'Overtaken', message, mayHaveBeenMade: true } };
}
