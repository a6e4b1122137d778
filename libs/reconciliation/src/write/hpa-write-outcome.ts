import type { ActuationIntentPayload, FieldDifference } from '#ledger';
import { isOwn } from '../hpa/plan-actuation.ts';
import { plimsollManager } from '../ports/field-manager.ts';
import type { AutoscalerReading, NativeAutoscaler } from '../ports/native-autoscalers.port.ts';
import type { WriteFailure } from '../runtime/pending-write.ts';

/** What became of a write of an HPA whose answer was lost. */
export type HpaWriteOutcome =
  /** `autoscaler` is null after a deletion; `dropped`: fields that the API server did not keep, null: it is not known which. */
  | {
      readonly kind: 'Written';
      readonly autoscaler: NativeAutoscaler | null;
      readonly dropped: readonly FieldDifference[] | null;
    }
  | { readonly kind: 'Failed'; readonly failure: WriteFailure }
  /** The HPA could not be read: the write stays pending. */
  | { readonly kind: 'Unknown'; readonly message: string };

/**
 * Finds out what became of a write of an HPA that was announced, from the HPA as it is now:
 *
 * | verb | it was made where |
 * | --- | --- |
 * | Create | there is an HPA with our manager, and the policy's annotation or what was rendered |
 * | Update, Adopt | the HPA is the same one, in another version, and says what was rendered, or what admission made of it: our manager wrote its spec last, and it is another than before |
 * | Delete | there is none of that uid, or it is being deleted |
 *
 * Where it says otherwise, only an HPA of the version that the write was for shows that it was not made (`NotApplied`). In
 * every other case it was not made, or was undone unseen (`Overtaken`), which comes to the same for what is next. Pure.
 *
 * @param before digest of the HPA before the write; null: not known
 */
export function hpaWriteOutcomeOf(
  intent: ActuationIntentPayload,
  reading: AutoscalerReading,
  before: string | null,
): HpaWriteOutcome {
  if (reading.kind === 'Failed') return { kind: 'Unknown', message: reading.message };
  const live = reading.kind === 'Found' ? reading.autoscaler : null;
  switch (intent.verb) {
    case 'Delete':
      return isDeleted(intent, live) ? { kind: 'Written', autoscaler: null, dropped: [] } : notApplied;
    case 'Create':
      return outcomeOfCreation(intent, live);
    case 'Update':
    case 'Adopt':
      return outcomeOfReplacement(intent, live, before);
  }
}

function outcomeOfCreation(intent: ActuationIntentPayload, live: NativeAutoscaler | null): HpaWriteOutcome {
  if (live === null) return overtaken('there is no HPA');
  return isCreated(intent, live) ? written(intent, live) : overtaken('another HPA is there');
}

function outcomeOfReplacement(
  intent: ActuationIntentPayload,
  live: NativeAutoscaler | null,
  before: string | null,
): HpaWriteOutcome {
  const { verb, uid, resourceVersion, specDigest } = intent;
  if (live?.uid !== uid) return overtaken('the HPA was deleted or made anew');
  if (live.resourceVersion === resourceVersion) return notApplied;
  const isAnother = verb === 'Adopt' || (before !== null && live.digest !== before);
  return live.digest === specDigest || (isAnother && live.manager === plimsollManager)
    ? written(intent, live)
    : overtaken('the HPA has changed since');
}

/** What somebody else wrote since is found as a drift from what was to be written; what admission made of it is none. */
function written({ specDigest }: ActuationIntentPayload, live: NativeAutoscaler): HpaWriteOutcome {
  const wanted = specDigest ?? live.digest;
  if (live.digest !== wanted && live.manager === plimsollManager)
    return { kind: 'Written', autoscaler: live, dropped: null };
  return { kind: 'Written', autoscaler: { ...live, digest: wanted }, dropped: [] };
}

function isDeleted({ uid }: ActuationIntentPayload, live: NativeAutoscaler | null): boolean {
  return live === null || live.uid !== uid || live.terminatingSince !== null;
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
