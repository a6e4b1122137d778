import type { PolicyKey } from '../stream-name.ts';
import type { CommitReference, TargetReference } from './references.ts';

/** What is about to be written to Kubernetes: durable before the write is sent. */
export interface ScalingIntentPayload {
  readonly policy: PolicyKey;
  readonly target: TargetReference;
  readonly from: number;
  readonly to: number;
  readonly reason: string;
  /** Of the scale that the decision saw; `null` where it was not observed. */
  readonly resourceVersion: string | null;
  /** Id of the `Decision` that asked for it. */
  readonly decision: string | null;
  readonly commit: CommitReference | null;
}

/** A change of a target's replica count. */
export interface ScalingEventPayload {
  readonly policy: PolicyKey;
  readonly target: TargetReference;
  /** `HorizontalPodAutoscaler`: the native controller, by the HPA that Plimsoll renders. */
  readonly origin: 'Plimsoll' | 'HorizontalPodAutoscaler' | 'External';
  /** The field manager that wrote; `null` where it is not known. */
  readonly manager: string | null;
  readonly from: number;
  readonly to: number;
  readonly reason: string;
  /** Id of the `ScalingIntent` that this is the outcome of. */
  readonly intent: string | null;
  readonly decision: string | null;
  readonly commit: CommitReference | null;
  /** The target's version after the change; `null` where it is not known. Entries of earlier releases do not have it. */
  readonly resourceVersion?: string | null;
  /** The HPA that scaled, by name; absent where none of ours did. */
  readonly autoscaler?: string;
}

/** Why a `ScalingIntent` changed nothing. It is its outcome, as a `ScalingEvent` is that of the others. */
export interface ScalingFailurePayload {
  readonly policy: PolicyKey;
  readonly target: TargetReference;
  readonly intent: string;
  /** `NotApplied`, `MayComeLate`, `Overtaken`, `TargetGone`, `TargetReplaced`, or the API server's reason. */
  readonly code: string;
  readonly message: string;
}
