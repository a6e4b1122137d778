import type { Decision, OverrideIntervention } from '#decision';
import {
  type ChainedEntry,
  type DraftOf,
  policyStream,
  type ScalingEventPayload,
  type ScalingIntentPayload,
  type TargetReference,
} from '#ledger';
import type { ActivePolicy } from '../policies/active-policy.ts';
import { decisionIdIn } from '../policies/decision-id.ts';
import { plimsollManager } from '../ports/field-manager.ts';
import type { ScaleState } from '../ports/scale.port.ts';
import type { RecordedScaling, WriteFailure } from '../runtime/pending-write.ts';
import type { ExternalChange } from '../runtime/replica-account.ts';
import type { StrategyChange } from '../strategy/strategy-changes.ts';

/** A write that is about to be made. */
export interface IntendedWrite {
  readonly kind: 'Scale';
  readonly active: ActivePolicy;
  readonly decision: Decision;
  /** The scale that the decision saw. */
  readonly scale: ScaleState;
  readonly to: number;
  /** In words, for people. */
  readonly reason: string;
  /** The operator's override that the count is of; null: none is. */
  readonly override: OverrideIntervention | null;
}

/** The entry before a write. It names the `Decision` of the same request, else the one that was recorded last. */
export function intentDraft(write: IntendedWrite, lastDecision: string | null): DraftOf<'ScalingIntent'> {
  return {
    ...placeOf(write.active, write.decision.time),
    kind: 'ScalingIntent',
    payload: (earlier) => intentPayload(write, decisionIdIn(earlier, write.active) ?? lastDecision),
  };
}

/** The payload of that entry. */
export function scalingIntentPayload(
  write: IntendedWrite,
  stored: { readonly entries: readonly ChainedEntry[]; readonly lastDecision: string | null },
): ScalingIntentPayload {
  return intentPayload(write, decisionIdIn(stored.entries, write.active) ?? stored.lastDecision);
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
  { id, payload }: RecordedScaling,
  { time, scale }: { readonly time: string; readonly scale: ScaleState },
): DraftOf<'ScalingEvent'> {
  const { policy, target, from, to: asked, reason, decision, commit } = payload;
  const { specReplicas: to, resourceVersion } = scale;
  return {
    stream: policyStream(policy),
    time,
    kind: 'ScalingEvent',
    payload: {
      policy,
      target,
      origin: 'Plimsoll',
      manager: plimsollManager,
      from,
      to,
      reason: to === asked ? reason : `${reason}; ${keptInstead(asked, to)}`,
      intent: id,
      decision,
      commit,
      resourceVersion,
    },
  };
}

/** Of a write that admission made another one of, such as a webhook that caps counts. */
export function keptInstead(asked: number, kept: number): string {
  return `asked for ${asked}, and the API server made it ${kept}`;
}

/** The entry after a write that was not made. */
export function failureDraft(
  { id, payload: { policy, target } }: RecordedScaling,
  { code, message }: WriteFailure,
  time: string,
): DraftOf<'ScalingFailure'> {
  const payload = { policy, target, intent: id, code, message };
  return { stream: policyStream(policy), time, kind: 'ScalingFailure', payload };
}

/**
 * The entry of a change that was not decided here. A late write of ours that was believed lost keeps its origin; `isNative`:
 * the policy's HPA made it.
 */
export function externalDraft(
  active: ActivePolicy,
  change: ExternalChange,
  seen: { readonly time: string; readonly isNative: boolean },
): DraftOf<'ScalingEvent'> {
  const { from, to, manager, resourceVersion } = change;
  const origin = originOf(manager, seen.isNative);
  const { name } = active.policy;
  const payload: ScalingEventPayload = {
    ...nameOf(active),
    target: targetOf(active, change),
    origin,
    manager,
    from,
    to,
    reason: externalReasons[origin],
    intent: null,
    decision: null,
    commit: null,
    resourceVersion,
    ...(origin === 'HorizontalPodAutoscaler' && { autoscaler: name }),
  };
  return { ...placeOf(active, seen.time), kind: 'ScalingEvent', payload };
}

const externalReasons = {
  Plimsoll: 'a write of Plimsoll that was believed lost',
  HorizontalPodAutoscaler: "scaled by the policy's HorizontalPodAutoscaler",
  External: 'scaled by somebody else',
} as const;

function originOf(manager: string | null, isNative: boolean): ScalingEventPayload['origin'] {
  if (manager === plimsollManager) return 'Plimsoll';
  return isNative ? 'HorizontalPodAutoscaler' : 'External';
}

/** The entry of a change of how the policy is carried out. */
export function strategyDraft(
  active: ActivePolicy,
  change: StrategyChange,
  time: string,
): DraftOf<'StrategyChange'> {
  return { ...placeOf(active, time), kind: 'StrategyChange', payload: { ...nameOf(active), ...change } };
}

function placeOf({ policy }: ActivePolicy, time: string): { readonly stream: string; readonly time: string } {
  return { stream: policyStream(policy), time };
}

function nameOf({ policy }: ActivePolicy): Pick<ScalingEventPayload, 'policy'> {
  return { policy: { namespace: policy.namespace, name: policy.name } };
}

function targetOf({ policy }: ActivePolicy, { uid }: Pick<ScaleState, 'uid'>): TargetReference {
  const { apiVersion, kind, name } = policy.target;
  return { apiVersion, kind, name, uid };
}
