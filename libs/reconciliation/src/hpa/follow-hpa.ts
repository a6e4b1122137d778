import {
  type DraftOf,
  foldHpaObservation,
  type HpaObservationPayload,
  type RecordedHpa,
  sealHpaObservation,
  type SeenHpaStatus,
} from '#ledger';
import type { EffectivePolicy } from '#policy';
import type { NativeAutoscaler } from '../ports/native-autoscalers.port.ts';
import { renderedDigestOf } from './managed-part.ts';
import { type ActuationPlan, isOwn } from './plan-actuation.ts';
import { recordedAs } from './recorded-hpa.ts';

/** What a pass sees of its policy's HPA. */
export interface HpaSighting {
  readonly policy: EffectivePolicy;
  /** RFC 3339. */
  readonly time: string;
  /** Null: not looked at. */
  readonly autoscalers: readonly NativeAutoscaler[] | null;
  readonly actuation: ActuationPlan;
}

/** What is recorded of the policy's HPA, and what that adds to the ledger. */
export interface FollowedHpa {
  readonly recorded: RecordedHpa | null;
  readonly append: readonly DraftOf<'HpaObservation'>[];
}

/** Follows the policy's HPA: that it is as it was rendered, that it is gone, and what its status says. Pure. */
export function followHpa(before: RecordedHpa | null, seen: HpaSighting): FollowedHpa {
  if (seen.autoscalers === null) return { recorded: before, append: [] };
  const own = seen.autoscalers.find((autoscaler) => isOwn(seen.policy, autoscaler)) ?? null;
  const recorded = recordedAfter(before, seen.actuation);
  const open = before?.observation ?? null;
  if (own === null || recorded === null) {
    const observation = open === null ? null : { ...open, count: 0 };
    return { recorded: recorded && { ...recorded, observation }, append: sealHpaObservation(open) };
  }
  const status = statusOf(own, seen);
  if (status === null) return { recorded, append: [] };
  const folded = foldHpaObservation(open, status);
  return { recorded: { ...recorded, observation: folded.open }, append: folded.append };
}

/** The same after its runs were sealed, at a shutdown. */
export function sealedHpa(recorded: RecordedHpa | null): RecordedHpa | null {
  if (recorded === null || recorded.observation === null) return recorded;
  const observation: HpaObservationPayload = { ...recorded.observation, count: 0 };
  return { ...recorded, observation };
}

function recordedAfter(before: RecordedHpa | null, actuation: ActuationPlan): RecordedHpa | null {
  if (actuation.kind === 'NoHpa') return null;
  if (actuation.kind !== 'InSync') return before;
  const { live, rendered } = actuation;
  const digest = renderedDigestOf(rendered);
  const isKnown = before?.uid === live.uid && before.rendered === digest && before.answered === live.digest;
  return isKnown ? before : recordedAs({ digest, targetUid: rendered.owner.uid }, live, before);
}

function statusOf(
  { uid, status }: NativeAutoscaler,
  { policy: { namespace, name }, time }: HpaSighting,
): SeenHpaStatus | null {
  if (status === null) return null;
  const { currentReplicas, desiredReplicas } = status;
  return {
    policy: { namespace, name },
    uid,
    time,
    currentReplicas,
    desiredReplicas,
    conditions: status.conditions.map(({ type, status: value, reason }) => ({ type, status: value, reason })),
    metrics: status.metrics.map(({ type, name: metric, ...current }) => ({
      type,
      name: metric,
      proposedReplicas: null,
      current,
    })),
  };
}
