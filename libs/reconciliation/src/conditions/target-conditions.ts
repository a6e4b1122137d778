import type { Condition, ObservedPod } from '#decision';
import { parseInstant, wholeSecondsBetween } from '#kernel';
import type { ConditionState, PolicyConditions, PolicyConditionType } from '../outcome/policy-conditions.ts';
import type { ScaleState } from '../ports/scale.port.ts';

/** How far the replicas of a target are. */
export interface TargetProgress {
  /** `spec.replicas`; where the native controller scales, `status.replicas`. */
  readonly desired: number;
  /** Null: not known. */
  readonly ready: number | null;
  /** Pods of the target's latest template; null: not known, or nothing rolls it out. */
  readonly updated: number | null;
  /** Whether the target's controller has seen the latest change of the target. */
  readonly isObserved: boolean;
  readonly progressDeadlineSeconds: number;
  /** Why pods that are wanted cannot be made, as the target's controller says; null: it does not. */
  readonly failure: string | null;
  /** Pods that were observed and have not started: not scheduled, say, or without their image. */
  readonly pending: number;
  /** Whether the native controller scales. */
  readonly isNative: boolean;
}

/** Kubernetes' default, for targets that name none. */
const defaultProgressDeadlineSeconds = 600;

/**
 * The progress of a target. Where the scale says nothing of the rollout (a kind without those fields, or a scale just
 * written), the pods that were observed are counted.
 */
export function targetProgress(
  { specReplicas, statusReplicas, rollout }: ScaleState,
  seen: { readonly pods: readonly ObservedPod[] | null; readonly isNative: boolean },
): TargetProgress {
  const { pods, isNative } = seen;
  const desired = isNative ? statusReplicas : specReplicas;
  const pending = pods === null ? 0 : countPending(pods);
  if (rollout !== undefined) {
    const { readyReplicas: ready, updatedReplicas: updated, ...rest } = rollout;
    return { desired, ready, updated, ...rest, pending, isNative };
  }
  return {
    desired,
    ready: pods === null ? null : pods.filter(isReady).length,
    updated: null,
    isObserved: true,
    progressDeadlineSeconds: defaultProgressDeadlineSeconds,
    failure: null,
    pending,
    isNative,
  };
}

function countPending(pods: readonly ObservedPod[]): number {
  let count = 0;
  for (const { phase, deletionTimestamp } of pods)
    if (phase === 'Pending' && (deletionTimestamp ?? null) === null) count += 1;
  return count;
}

function isReady({ ready, deletionTimestamp }: ObservedPod): boolean {
  return ready?.status === 'True' && (deletionTimestamp ?? null) === null;
}

/** `Available`: one replica is ready, or none is wanted. */
export function availableState(progress: TargetProgress): ConditionState {
  const { desired, ready, isNative } = progress;
  const type = 'Available';
  const suffix = isNative ? ' (HPA-managed)' : '';
  if (desired === 0)
    return { type, status: 'True', reason: 'ScaledToZero', message: `no replica is wanted${suffix}` };
  if (ready === null) {
    const message = `how many of ${replicas(desired)} are ready is not known${suffix}`;
    return { type, status: 'Unknown', reason: 'ReplicasUnknown', message };
  }
  const message = `${describeReady(desired, ready)}${suffix}`;
  return ready >= 1
    ? { type, status: 'True', reason: 'ReplicasReady', message }
    : { type, status: 'False', reason: 'NoReplicaReady', message };
}

/**
 * `Progressing`: the target's controller is behind, or replicas are neither updated nor ready yet, and what is known of
 * why. `ReplicaFailure`: they cannot be made, which a quota says, say, and more replicas change nothing of.
 */
export function progressingState(progress: TargetProgress): ConditionState {
  const { desired, ready, updated, isObserved, failure } = progress;
  const progressing = (reason: string, message: string): ConditionState => ({
    type: 'Progressing',
    status: 'True',
    reason: failure === null ? reason : 'ReplicaFailure',
    message: `${message}${hindrance(progress)}`,
  });
  if (!isObserved)
    return progressing('GenerationNotObserved', 'the latest change of the target has not been observed yet');
  if (updated !== null && updated < desired)
    return progressing('ReplicasNotUpdated', `${updated} of ${replicas(desired)} are up to date`);
  if (ready === null) {
    const message = `how many of ${replicas(desired)} are ready is not known`;
    return { type: 'Progressing', status: 'Unknown', reason: 'ReplicasUnknown', message };
  }
  if (ready < desired) return progressing('ReplicasNotReady', describeReady(desired, ready));
  return {
    type: 'Progressing',
    status: 'False',
    reason: 'ReplicasReady',
    message: describeReady(desired, ready),
  };
}

/** What degrades a policy by itself, the first first. */
const obstacles = [
  'Conflict',
  'Contested',
  'FieldNotSupported',
] as const satisfies readonly PolicyConditionType[];

/** `Degraded`: in the way of others, or progressing for longer than the target's progress deadline. */
export function degradedState(
  conditions: Pick<PolicyConditions, 'get'>,
  { time, progressDeadlineSeconds }: { readonly time: string; readonly progressDeadlineSeconds: number },
): ConditionState {
  const type = 'Degraded';
  const obstacle = obstacles.map((name) => conditions.get(name)).find((known) => known?.status === 'True');
  if (obstacle !== undefined)
    return { type, status: 'True', reason: obstacle.type, message: obstacle.message };
  const progressing = conditions.get('Progressing');
  if (progressing?.status === 'Unknown')
    return { type, status: 'Unknown', reason: progressing.reason, message: progressing.message };
  if (progressing?.status !== 'True' || secondsSince(progressing, time) <= progressDeadlineSeconds)
    return { type, status: 'False', reason: 'AsExpected', message: 'nothing is in the way' };
  const message = `for more than ${progressDeadlineSeconds} s ${progressing.message}`;
  return { type, status: 'True', reason: 'ProgressDeadlineExceeded', message };
}

function secondsSince({ lastTransitionTime }: Condition, time: string): number {
  const [since, now] = [parseInstant(lastTransitionTime), parseInstant(time)];
  return since === undefined || now === undefined ? 0 : wholeSecondsBetween(since, now);
}

function hindrance({ failure, pending }: TargetProgress): string {
  if (failure !== null) return `: ${failure}`;
  if (pending === 0) return '';
  return `: ${pending === 1 ? '1 pod is' : `${pending} pods are`} Pending`;
}

function describeReady(desired: number, ready: number): string {
  return `${ready} of ${replicas(desired)} ${desired === 1 ? 'is' : 'are'} ready`;
}

function replicas(count: number): string {
  return count === 1 ? '1 replica' : `${count} replicas`;
}
