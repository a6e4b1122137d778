import type { ScalingIntentPayload } from '#ledger';
import { plimsollManager } from '../ports/field-manager.ts';
import type { ScaleReading, ScaleState } from '../ports/scale.port.ts';
import type { WriteFailure } from '../runtime/pending-write.ts';
import type { ExternalChange } from '../runtime/replica-account.ts';

/** What became of a write whose answer was lost. */
export type WriteOutcome =
  /** `scale` is the target right after it. */
  | { readonly kind: 'Written'; readonly from: number; readonly scale: ScaleState }
  | { readonly kind: 'Failed'; readonly failure: WriteFailure }
  /** The target could not be read: the write stays pending. */
  | { readonly kind: 'Unknown'; readonly message: string };

/**
 * Finds out what became of a write that was announced, from the target as it is now:
 *
 * | found | outcome |
 * | --- | --- |
 * | a change to the announced count, by our field manager or by one that is not known | the write was made |
 * | a change from the count of the intent to another one, by our field manager | it was made, and admission made another count of it |
 * | no such change, and the target has the version that the write was made on | it was not made: `NotApplied` |
 * | no such change, and another version | it was not made, or made and undone unseen: `Overtaken` |
 * | no target, or another uid, and no such change of the one that was there | it was not made |
 *
 * Of what may have been made, a scale-in counts for limits as made, and so does a scale-up after which the count is another
 * one. Pure.
 *
 * @param changes from the count that the intent names to the one that was read
 */
export function writeOutcomeOf(
  intent: ScalingIntentPayload,
  reading: ScaleReading,
  changes: readonly ExternalChange[],
): WriteOutcome {
  if ('error' in reading) {
    const { error, cause } = reading;
    return cause === 'Failed'
      ? { kind: 'Unknown', message: error.message }
      : failed('TargetGone', 'the target does not exist any more');
  }
  const { uid, specReplicas, resourceVersion } = reading.state;
  const { target, from, to } = intent;
  const change = ownChange(intent, changes);
  if (change !== undefined)
    return { kind: 'Written', from: change.from, scale: scaleAfter(change, reading.state) };
  if (target.uid !== null && target.uid !== uid)
    return failed('TargetReplaced', `the target was made anew: uid ${uid}, was ${target.uid}`);
  const found = `the scale is ${specReplicas}, wanted ${to}`;
  // Only a version that is still the one that was written on shows that nothing was.
  if (resourceVersion !== intent.resourceVersion) {
    const message = `${found}: the target has changed since; the write was not made, or was undone unseen`;
    const countsAsMade = to < from || specReplicas !== from;
    return { kind: 'Failed', failure: { code: 'Overtaken', message, mayHaveBeenMade: true, countsAsMade } };
  }
  const message = `${found}: the write was not made`;
  return { kind: 'Failed', failure: { code: 'NotApplied', message, mayHaveBeenMade: false } };
}

/** The write among the changes: nothing else of ours is written meanwhile. */
function ownChange(
  { target, from, to }: ScalingIntentPayload,
  changes: readonly ExternalChange[],
): ExternalChange | undefined {
  const ofTarget = changes.filter(({ uid }) => target.uid === null || uid === target.uid);
  const isOurs = ({ manager }: ExternalChange): boolean => manager === plimsollManager;
  return (
    ofTarget.find((change) => change.to === to && (isOurs(change) || change.manager === null)) ??
    ofTarget.find((change) => change.from === from && isOurs(change))
  );
}

/**
 * Finds out the same of a write that was refused (409) on a scale that is another one now. A request that is delivered
 * twice is made, and then refused; where all that happened is known to be of others, it was not made (`Changed`). Pure.
 */
export function refusedWriteOutcomeOf(
  intent: ScalingIntentPayload,
  reading: ScaleReading,
  changes: readonly ExternalChange[],
): WriteOutcome {
  const outcome = writeOutcomeOf(intent, reading, changes);
  if (outcome.kind !== 'Failed' || !('state' in reading)) return outcome;
  const isOfOthers = changes.every(({ manager }) => manager !== null && manager !== plimsollManager);
  if (!isOfOthers) return outcome;
  const message = `the scale changed from ${intent.from} to ${reading.state.specReplicas} before the write`;
  return { kind: 'Failed', failure: { code: 'Changed', message } };
}

function scaleAfter({ uid, to, resourceVersion }: ExternalChange, scale: ScaleState): ScaleState {
  return { ...scale, uid, specReplicas: to, resourceVersion: resourceVersion ?? scale.resourceVersion };
}

function failed(code: string, message: string): WriteOutcome {
  return { kind: 'Failed', failure: { code, message, mayHaveBeenMade: true } };
}
