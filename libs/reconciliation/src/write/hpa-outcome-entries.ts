import { type EntryDraft, type RecordedHpa, sealHpaObservation } from '#ledger';
import { isRefusedForGood, recordedAs, recordedAsRefused, recordedWithDropped } from '../hpa/recorded-hpa.ts';
import type { NativeAutoscaler } from '../ports/native-autoscalers.port.ts';
import { actuationOutcomeDraft, adoptionDraft, failedActuation } from '../record/actuation-drafts.ts';
import type { RecordedActuation, WriteFailure, WrittenHpa } from '../runtime/pending-write.ts';
import type { HpaWriteOutcome } from './hpa-write-outcome.ts';

/** What is known when a write of an HPA is resolved. */
export interface ResolvedHpaWrite {
  readonly outcome: Exclude<HpaWriteOutcome, { readonly kind: 'Unknown' }>;
  /** What was recorded of the HPA before. */
  readonly before: RecordedHpa | null;
  /** Null: not known. */
  readonly serverVersion: string | null;
  /** RFC 3339. */
  readonly time: string;
}

/** The entries that resolve a write of an HPA, and what is recorded of the HPA with them. */
export interface HpaOutcomeEntries {
  readonly drafts: readonly EntryDraft[];
  readonly hpa: RecordedHpa | null;
}

/** Resolves a write of an HPA. Pure. */
export function hpaOutcomeEntries(intent: RecordedActuation, resolved: ResolvedHpaWrite): HpaOutcomeEntries {
  const { outcome } = resolved;
  if (outcome.kind === 'Failed') return failedEntries(intent, resolved, outcome.failure);
  const { autoscaler, dropped } = outcome;
  return autoscaler === null
    ? deletedEntries(intent, resolved)
    : writtenEntries(intent, resolved, { autoscaler, dropped });
}

function failedEntries(
  intent: RecordedActuation,
  { before, serverVersion, time }: ResolvedHpaWrite,
  failure: WriteFailure,
): HpaOutcomeEntries {
  const { payload } = intent;
  const drafts = [actuationOutcomeDraft(intent, failedActuation(payload, failure), time)];
  const isFinal = isRefusedForGood(failure);
  const hpa = isFinal ? recordedAsRefused(before, payload, { ...failure, serverVersion, time }) : before;
  return { drafts, hpa };
}

function deletedEntries(intent: RecordedActuation, { before, time }: ResolvedHpaWrite): HpaOutcomeEntries {
  const { uid, reason } = intent.payload;
  const draft = actuationOutcomeDraft(intent, { ...applied, uid, message: reason }, time);
  return { drafts: [...sealHpaObservation(before?.observation ?? null), draft], hpa: null };
}

function writtenEntries(
  intent: RecordedActuation,
  { before, serverVersion, time }: ResolvedHpaWrite,
  { autoscaler, dropped: known }: WrittenHpa & { readonly autoscaler: NativeAutoscaler },
): HpaOutcomeEntries {
  const { payload } = intent;
  const { uid, resourceVersion: resourceVersionAfter } = autoscaler;
  const dropped = known ?? [];
  const outcome = { ...applied, uid, resourceVersionAfter, dropped, message: payload.reason };
  const draft = actuationOutcomeDraft(intent, outcome, time);
  // Where it is not known what was made of it, it counts as never rendered: the next pass writes it again, and is answered.
  const rendered = { digest: known === null ? null : payload.specDigest, targetUid: payload.target.uid };
  return {
    drafts: payload.verb === 'Adopt' ? [draft, adoptionDraft(payload, time)] : [draft],
    hpa: recordedWithDropped(recordedAs(rendered, autoscaler, before), dropped, { serverVersion, time }),
  };
}

const applied = { result: 'Applied', resourceVersionAfter: null, dropped: [], code: null } as const;
