import type { ActuationIntentPayload, FieldDifference, HpaDrift, RecordedHpa } from '#ledger';
import type { LiveAutoscaler, NativeAutoscaler } from '../ports/native-autoscalers.port.ts';
import {
  describeDifferences,
  differencesOf,
  managedPartOf,
  managedPartOfObject,
  renderedDigestOf,
} from './managed-part.ts';
import type { RenderedHpa } from './render-hpa.ts';

/** A policy of which no HPA was ever made, or whose HPA was deleted. */
const none: RecordedHpa = {
  uid: null,
  targetUid: null,
  rendered: null,
  answered: null,
  unsupported: null,
  observation: null,
};

/** What is known of an HPA that is as it was rendered, found or written. */
export function recordedAs(
  rendered: { readonly digest: string | null; readonly targetUid: string | null },
  autoscaler: NativeAutoscaler,
  before: RecordedHpa | null,
): RecordedHpa {
  return {
    uid: autoscaler.uid,
    targetUid: rendered.targetUid,
    rendered: rendered.digest,
    answered: autoscaler.digest,
    unsupported: null,
    observation: before?.uid === autoscaler.uid ? before.observation : null,
  };
}

/** The same, with fields that the API server did not keep. */
export function recordedWithDropped(
  recorded: RecordedHpa,
  dropped: readonly FieldDifference[],
  { serverVersion, time }: { readonly serverVersion: string | null; readonly time: string },
): RecordedHpa {
  if (dropped.length === 0) return recorded;
  const message = `it does not keep ${describeDropped(dropped)}`;
  const changedAt = dropped.some(isMadeAnother) ? time : null;
  return { ...recorded, unsupported: { message, serverVersion, refusedAt: null, changedAt } };
}

/** Fields that the API server did not keep, and who else may be asked about them, for a sentence. */
export function describeDropped(dropped: readonly FieldDifference[]): string {
  const fields = describeDifferences(dropped);
  return dropped.some(isMadeAnother) ? `${fields} (does an admission webhook set it?)` : fields;
}

function isMadeAnother({ found }: FieldDifference): boolean {
  return found !== null;
}

/** An HPA that the API server refused, and will refuse again until it, or what it is asked for, is another. */
export function recordedAsRefused(
  before: RecordedHpa | null,
  { specDigest }: ActuationIntentPayload,
  refusal: { readonly message: string; readonly serverVersion: string | null; readonly time: string },
): RecordedHpa {
  const { message, serverVersion, time } = refusal;
  return {
    ...(before ?? none),
    rendered: specDigest,
    unsupported: { message, serverVersion, refusedAt: time },
  };
}

/** Whether a refusal is about what the HPA says, and not about who asks or when. */
export function isRefusedForGood({ code }: { readonly code: string }): boolean {
  return code === 'Invalid' || code === 'BadRequest';
}

/** Fields that were asked for and that the API server's answer does not have, or has otherwise. */
export function droppedFields(
  rendered: RenderedHpa,
  { autoscaler, document }: LiveAutoscaler,
): readonly FieldDifference[] {
  if (autoscaler.digest === renderedDigestOf(rendered)) return [];
  const differences = differencesOf(managedPartOfObject(document), managedPartOf(rendered));
  // A field that the server added is a default of a newer version.
  return differences.filter((difference) => difference.wanted !== null);
}

/**
 * Whether somebody else changed or deleted the HPA since it was written; null: nobody did, or it is not known what was
 * written. An HPA that went with its target, or that was deleted here, is none.
 */
export function driftOf(
  recorded: RecordedHpa | null,
  live: NativeAutoscaler | null,
  targetUid: string | null,
): HpaDrift | null {
  if (recorded === null || recorded.uid === null || recorded.targetUid !== targetUid) return null;
  if (live === null) return { kind: 'Deleted', manager: null };
  if (recorded.uid !== live.uid) return { kind: 'Edited', manager: live.editor };
  return recorded.answered === live.digest ? null : { kind: 'Edited', manager: live.editor };
}
