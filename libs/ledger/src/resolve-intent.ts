import type { DraftOf, EntryOf } from './entry.ts';
import { entryId } from './entry-id.ts';
import type { ScalingEventPayload, ScalingFailurePayload, ScalingIntentPayload } from './payloads.ts';

/** What the API server says about the target of an intent whose outcome nobody recorded. */
export type ObservedScale =
  | {
      readonly found: true;
      readonly specReplicas: number;
      /** `null` where it was not read. */
      readonly uid: string | null;
      readonly resourceVersion: string | null;
      /** The last field manager of `spec.replicas`; `null` where it was not read. */
      readonly manager: string | null;
    }
  /** The API server said that there is no such object. A failed read is no answer: then the intent stays pending. */
  | { readonly found: false };

/** What an intent without outcome came to. */
export interface IntentOutcome {
  /** `Applied`: the write was made, and `memoryIfWritten` is in force. */
  readonly code: 'Applied' | 'NotApplied' | 'Overwritten' | 'TargetGone' | 'TargetReplaced';
  /** The one entry that closes the intent. */
  readonly draft: DraftOf<'ScalingEvent'> | DraftOf<'ScalingFailure'>;
}

/**
 * Finds out what became of a write that was announced before a crash, from the count in the API server:
 *
 * | observed | outcome |
 * | --- | --- |
 * | the announced count | the write was made: a `ScalingEvent` of Plimsoll |
 * | the count before | it was not made (or undone since, which comes to the same): a `ScalingFailure` |
 * | another count | somebody scaled since: an External `ScalingEvent` from the count before |
 * | no target, or another uid | a `ScalingFailure` |
 *
 * One intent gives exactly one entry, so each replica is accounted for once.
 *
 * @param at RFC 3339, in UTC: the time of the entry.
 */
export function resolveIntent(
  intent: EntryOf<'ScalingIntent'>,
  observed: ObservedScale,
  at: string,
): IntentOutcome {
  const { from, to, target } = intent.payload;
  const place = { stream: intent.stream, time: at };
  if (!observed.found)
    return failure(intent, { place, code: 'TargetGone', message: 'the target does not exist any more' });
  if (target.uid !== null && observed.uid !== null && observed.uid !== target.uid) {
    return failure(intent, {
      place,
      code: 'TargetReplaced',
      message: `the target was made anew: uid ${observed.uid}, was ${target.uid}`,
    });
  }
  if (observed.specReplicas === to)
    return { code: 'Applied', draft: { ...place, kind: 'ScalingEvent', payload: applied(intent) } };
  if (observed.specReplicas === from)
    return failure(intent, { place, code: 'NotApplied', message: notApplied(intent.payload, observed) });
  return {
    code: 'Overwritten',
    draft: { ...place, kind: 'ScalingEvent', payload: overwritten(intent, observed) },
  };
}

function failure(
  intent: EntryOf<'ScalingIntent'>,
  found: {
    readonly place: { readonly stream: string; readonly time: string };
    readonly code: 'NotApplied' | 'TargetGone' | 'TargetReplaced';
    readonly message: string;
  },
): IntentOutcome {
  const { policy, target } = intent.payload;
  const payload: ScalingFailurePayload = {
    policy,
    target,
    intent: entryId(intent),
    code: found.code,
    message: found.message,
  };
  return { code: found.code, draft: { ...found.place, kind: 'ScalingFailure', payload } };
}

function notApplied({ from, to, resourceVersion }: ScalingIntentPayload, observed: ObservedScale): string {
  const untouched =
    observed.found && resourceVersion !== null && observed.resourceVersion === resourceVersion;
  return untouched
    ? `the scale is as it was before the write: ${from}, wanted ${to}`
    : `the scale is ${from}, wanted ${to}: the write was not made, or was undone since`;
}

function applied(intent: EntryOf<'ScalingIntent'>): ScalingEventPayload {
  const { policy, target, from, to, reason, decision, commit } = intent.payload;
  return {
    policy,
    target,
    origin: 'Plimsoll',
    manager: null,
    from,
    to,
    reason,
    intent: entryId(intent),
    decision,
    commit,
  };
}

function overwritten(
  intent: EntryOf<'ScalingIntent'>,
  observed: ObservedScale & { readonly found: true },
): ScalingEventPayload {
  const { policy, target, from, to } = intent.payload;
  return {
    policy,
    target,
    origin: 'External',
    manager: observed.manager,
    from,
    to: observed.specReplicas,
    reason: `scaled while Plimsoll was down; it had announced ${to}`,
    intent: entryId(intent),
    decision: null,
    commit: null,
  };
}
