import {
  type ActuationIntentPayload,
  type ActuationOutcomePayload,
  type ChainedEntry,
  type DraftOf,
  type FieldDifference,
  type HpaDrift,
  policyStream,
  type RecordedHpa,
} from '#ledger';
import { differencesOf, managedPartOf, managedPartOfObject, renderedDigestOf } from '../hpa/managed-part.ts';
import type { HpaWrite } from '../hpa/plan-actuation.ts';
import { driftOf } from '../hpa/recorded-hpa.ts';
import type { ActivePolicy } from '../policies/active-policy.ts';
import { decisionIdIn } from '../policies/decision-id.ts';
import { plimsollManager } from '../ports/field-manager.ts';
import type { LiveAutoscaler } from '../ports/native-autoscalers.port.ts';
import type { RecordedActuation, WriteFailure } from '../runtime/pending-write.ts';

/** A write of an HPA that is about to be sent. */
export interface IntendedHpaWrite {
  readonly kind: 'Hpa';
  readonly active: ActivePolicy;
  /** When it was decided, RFC 3339. */
  readonly time: string;
  readonly write: HpaWrite;
  /** The HPA as it was read; null: there is none. */
  readonly live: LiveAutoscaler | null;
  /** Uid of the scale target; null: it is not known. */
  readonly targetUid: string | null;
  readonly differences: readonly FieldDifference[];
  readonly drift: HpaDrift | null;
}

/** A write of an HPA with what it changes, and what it corrects. */
export function intendedHpaWrite(
  planned: Pick<IntendedHpaWrite, 'active' | 'time' | 'write' | 'live' | 'targetUid'> & {
    readonly recorded: RecordedHpa | null;
  },
): IntendedHpaWrite {
  const { recorded, ...intended } = planned;
  const { write, live, targetUid } = intended;
  if (write.verb === 'Delete') return { kind: 'Hpa', ...intended, differences: [], drift: null };
  const differences =
    live === null ? [] : differencesOf(managedPartOfObject(live.document), managedPartOf(write.rendered));
  const drift = write.verb === 'Adopt' ? null : driftOf(recorded, live?.autoscaler ?? null, targetUid);
  return { kind: 'Hpa', ...intended, differences, drift };
}

/** The entry before a write of an HPA. */
export function actuationIntentDraft(
  intended: IntendedHpaWrite,
  lastDecision: string | null,
): DraftOf<'ActuationIntent'> {
  const { active, time } = intended;
  return {
    stream: policyStream(active.policy),
    time,
    kind: 'ActuationIntent',
    payload: (earlier) => intentPayload(intended, decisionIdIn(earlier, active) ?? lastDecision),
  };
}

/** The payload of that entry. */
export function actuationIntentPayload(
  intended: IntendedHpaWrite,
  stored: { readonly entries: readonly ChainedEntry[]; readonly lastDecision: string | null },
): ActuationIntentPayload {
  return intentPayload(intended, decisionIdIn(stored.entries, intended.active) ?? stored.lastDecision);
}

function intentPayload(intended: IntendedHpaWrite, decision: string | null): ActuationIntentPayload {
  const { active, write, live, targetUid, differences, drift } = intended;
  const { namespace, name, target } = active.policy;
  const { apiVersion, kind } = target;
  const rendered = write.verb === 'Delete' ? null : write.rendered;
  return {
    policy: { namespace, name },
    target: { apiVersion, kind, name: target.name, uid: targetUid },
    verb: write.verb,
    specDigest: rendered === null ? null : renderedDigestOf(rendered),
    uid: live?.autoscaler.uid ?? null,
    resourceVersion: live?.autoscaler.resourceVersion ?? null,
    reason: write.reason,
    differences,
    drift,
    departures: rendered?.departures ?? [],
    adoptedFrom: write.verb === 'Adopt' ? write.live.manager : null,
    decision,
    commit: active.origin.commit,
  };
}

/** The entry after a write of an HPA. */
export function actuationOutcomeDraft(
  { id, payload }: RecordedActuation,
  outcome: Pick<
    ActuationOutcomePayload,
    'result' | 'uid' | 'resourceVersionAfter' | 'dropped' | 'code' | 'message'
  >,
  time: string,
): DraftOf<'ActuationOutcome'> {
  return {
    stream: policyStream(payload.policy),
    time,
    kind: 'ActuationOutcome',
    payload: { ...payload, ...outcome, intent: id },
  };
}

/** What a failure says in that entry. */
export function failedActuation(
  { uid }: ActuationIntentPayload,
  { code, message }: WriteFailure,
): Parameters<typeof actuationOutcomeDraft>[1] {
  return { result: 'Failed', uid, resourceVersionAfter: null, dropped: [], code, message };
}

/** The entry of an HPA that was taken over. */
export function adoptionDraft(
  { policy, adoptedFrom, commit }: ActuationIntentPayload,
  time: string,
): DraftOf<'StrategyChange'> {
  const payload = {
    policy,
    field: 'adoption',
    before: adoptedFrom,
    after: plimsollManager,
    commit,
  } as const;
  return { stream: policyStream(policy), time, kind: 'StrategyChange', payload };
}
