import type { Decision } from '#decision';
import {
  type ChainedEntry,
  type DraftOf,
  entryId,
  policyStream,
  type ScalingEventPayload,
  type ScalingIntentPayload,
  type TargetReference,
} from '#ledger';
import type { ActivePolicy } from '../active-policy.ts';
import type { ExternalChange } from '../observe/replica-account.ts';
import { plimsollManager } from '../ports/field-manager.ts';
import type { ScaleState } from '../ports/scale.port.ts';
import type { StrategyChange } from '../strategy/strategy-changes.ts';
import type { RecordedIntent, WriteFailure } from '../write/pending-write.ts';

/** A write that is about to be made. */
export interface IntendedWrite {
  readonly active: ActivePolicy;
  readonly decision: Decision;
  /** The scale that the decision saw. */
  readonly scale: ScaleState;
  readonly to: number;
  /** In words, for people. */
  readonly reason: string;
}

/** The entry before a write. It names the `Decision` of the same request, else the one that was recorded last. */
export function intentDraft(write: IntendedWrite, lastDecision: string | null): DraftOf<'ScalingIntent'> {
  return {
    ...placeOf(write.active, write.decision.time),
    kind: 'ScalingIntent',
    payload: (earlier) => intentPayload(write, decisionIdIn(earlier, write.active) ?? lastDecision),
  };
}

/** The intent among the entries of its request. @throws Error where there is none: a bug */
export function recordedIntent(
  write: IntendedWrite,
  stored: { readonly entries: readonly ChainedEntry[]; readonly lastDecision: string | null },
): RecordedIntent {
  const entry = stored.entries.findLast(({ kind }) => kind === 'ScalingIntent');
  if (entry === undefined) throw new Error('a write was announced without an intent');
  const decision = decisionIdIn(stored.entries, write.active) ?? stored.lastDecision;
  return { id: entryId(entry), payload: intentPayload(write, decision) };
}

function intentPayload(write: IntendedWrite, decision: string | null): ScalingIntentPayload {
  const { active, scale, to, reason } = write;
  return {
    ...nameOf(active),
    target: targetOf(active, scale),
    from: scale.specReplicas,
    to,
    reason,
    resourceVersion: scale.resourceVersion,
    decision,
    commit: active.origin.commit,
  };
}

/** The entry after a write that was made. */
export function eventDraft(
  { id, payload }: RecordedIntent,
  made: { readonly time: string; readonly resourceVersion: string | null },
): DraftOf<'ScalingEvent'> {
  const { policy, target, from, to, reason, decision, commit } = payload;
  return {
    stream: policyStream(policy),
    time: made.time,
    kind: 'ScalingEvent',
    payload: {
      policy,
      target,
      origin: 'Plimsoll',
      manager: plimsollManager,
      from,
      to,
      reason,
      intent: id,
      decision,
      commit,
      resourceVersion: made.resourceVersion,
    },
  };
}

/** The entry after a write that was not made. */
export function failureDraft(
  { id, payload: { policy, target } }: RecordedIntent,
  { code, message }: WriteFailure,
  time: string,
): DraftOf<'ScalingFailure'> {
  const payload = { policy, target, intent: id, code, message };
  return { stream: policyStream(policy), time, kind: 'ScalingFailure', payload };
}

/** The entry of a change that was not decided here. A late write of ours that was believed lost keeps its origin. */
export function externalDraft(
  active: ActivePolicy,
  change: ExternalChange,
  seen: { readonly scale: ScaleState; readonly time: string },
): DraftOf<'ScalingEvent'> {
  const { from, to, manager, resourceVersion } = change;
  const isOurs = manager === plimsollManager;
  const payload: ScalingEventPayload = {
    ...nameOf(active),
    target: targetOf(active, seen.scale),
    origin: isOurs ? 'Plimsoll' : 'External',
    manager,
    from,
    to,
    reason: isOurs ? 'a write of Plimsoll that was believed lost' : 'scaled by somebody else',
    intent: null,
    decision: null,
    commit: null,
    resourceVersion,
  };
  return { ...placeOf(active, seen.time), kind: 'ScalingEvent', payload };
}

/** The entry of a change of how the policy is carried out. */
export function strategyDraft(
  active: ActivePolicy,
  change: StrategyChange,
  time: string,
): DraftOf<'StrategyChange'> {
  return { ...placeOf(active, time), kind: 'StrategyChange', payload: { ...nameOf(active), ...change } };
}

/** The id of the policy's `Decision` among entries that were just chained; null: there is none. */
export function decisionIdIn(entries: readonly ChainedEntry[], { policy }: ActivePolicy): string | null {
  const stream = policyStream(policy);
  const entry = entries.findLast((candidate) => candidate.kind === 'Decision' && candidate.stream === stream);
  return entry === undefined ? null : entryId(entry);
}

function placeOf({ policy }: ActivePolicy, time: string): { readonly stream: string; readonly time: string } {
  return { stream: policyStream(policy), time };
}

function nameOf({ policy }: ActivePolicy): Pick<ScalingEventPayload, 'policy'> {
  return { policy: { namespace: policy.namespace, name: policy.name } };
}

function targetOf({ policy }: ActivePolicy, { uid }: ScaleState): TargetReference {
  const { apiVersion, kind, name } = policy.target;
  return { apiVersion, kind, name, uid };
}
