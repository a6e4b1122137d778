import type { Decision } from '#decision';
import {
  type ChainedEntry,
  type DraftOf,
  entryId,
  policyStream,
  type ScalingEventPayload,
  type TargetReference,
} from '#ledger';
import type { ActivePolicy } from '../active-policy.ts';
import type { ExternalChange } from '../observe/replica-account.ts';
import { plimsollManager } from '../ports/field-manager.ts';
import type { ScaleState } from '../ports/scale.port.ts';
import type { StrategyChange } from '../strategy/strategy-changes.ts';

/** A write that is about to be made. */
export interface IntendedWrite {
  readonly active: ActivePolicy;
  readonly decision: Decision;
  /** The scale that the decision saw. */
  readonly scale: ScaleState;
  readonly to: number;
}

/** The entry before a write. It names the `Decision` of the same request, else the one that was recorded last. */
export function intentDraft(write: IntendedWrite, lastDecision: string | null): DraftOf<'ScalingIntent'> {
  const { active, decision, scale, to } = write;
  return {
    ...placeOf(active, decision.time),
    kind: 'ScalingIntent',
    payload: (earlier) => ({
      ...nameOf(active),
      target: targetOf(active, scale),
      from: scale.specReplicas,
      to,
      reason: decision.reason,
      resourceVersion: scale.resourceVersion,
      decision: decisionIdIn(earlier, active) ?? lastDecision,
      commit: active.origin.commit,
    }),
  };
}

/** The entry after a write that was made. */
export function eventDraft(
  write: IntendedWrite,
  record: { readonly intent: string; readonly decision: string | null; readonly time: string },
): DraftOf<'ScalingEvent'> {
  const { active, decision, scale, to } = write;
  const payload: ScalingEventPayload = {
    ...nameOf(active),
    target: targetOf(active, scale),
    origin: 'Plimsoll',
    manager: plimsollManager,
    from: scale.specReplicas,
    to,
    reason: decision.reason,
    intent: record.intent,
    decision: record.decision,
    commit: active.origin.commit,
  };
  return { ...placeOf(active, record.time), kind: 'ScalingEvent', payload };
}

/** The entry after a write that was not made. */
export function failureDraft(
  write: IntendedWrite,
  record: {
    readonly intent: string;
    readonly code: string;
    readonly message: string;
    readonly time: string;
  },
): DraftOf<'ScalingFailure'> {
  const { intent, code, message, time } = record;
  return {
    ...placeOf(write.active, time),
    kind: 'ScalingFailure',
    payload: {
      ...nameOf(write.active),
      target: targetOf(write.active, write.scale),
      intent,
      code,
      message,
    },
  };
}

/** The entry of a change that was not decided here. A late write of ours that was believed lost keeps its origin. */
export function externalDraft(
  active: ActivePolicy,
  change: ExternalChange,
  seen: { readonly scale: ScaleState; readonly time: string },
): DraftOf<'ScalingEvent'> {
  const { from, to, manager } = change;
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
