import type { PolicyKey } from '../stream-name.ts';
import type { MetricRange } from './decision-payloads.ts';
import type { CommitReference, TargetReference } from './references.ts';

/** What is done to the HorizontalPodAutoscaler that a policy is rendered into. `Adopt` takes over one of another manager. */
export type ActuationVerb = 'Create' | 'Update' | 'Delete' | 'Adopt';

/** A field of an HPA that differs, values as JSON text. */
export interface FieldDifference {
  /** `spec.maxReplicas` */
  readonly field: string;
  /** `null`: the field is not there. */
  readonly found: string | null;
  readonly wanted: string | null;
}

/** A change of the policy's HPA that was not ours. */
export interface HpaDrift {
  readonly kind: 'Edited' | 'Deleted';
  /** The field manager that wrote it last; `null` where managedFields do not say, or with the HPA are gone. */
  readonly manager: string | null;
}

/** A write of an HPA that is about to be sent: durable before it is. The HPA has the policy's name and namespace. */
export interface ActuationIntentPayload {
  readonly policy: PolicyKey;
  /** Its `uid` is that of the HPA's owner. */
  readonly target: TargetReference;
  readonly verb: ActuationVerb;
  /** Digest of what is rendered, labels and annotations of ours included; `null` for a deletion. */
  readonly specDigest: string | null;
  /** Of the HPA; `null`: there is none yet. */
  readonly uid: string | null;
  /** Of the HPA as it was read; `null`: there is none yet. */
  readonly resourceVersion: string | null;
  /** Why, in words. */
  readonly reason: string;
  /** What the write changes, at most 20 fields; empty for a new HPA and for a deletion. */
  readonly differences: readonly FieldDifference[];
  /** What the write corrects, where somebody else changed or deleted the HPA. */
  readonly drift: HpaDrift | null;
  /** How the native controller will act otherwise than the decision says, in sentences. */
  readonly departures: readonly string[];
  /** The manager that an adoption takes over from; `null`: none is, or it is not known. */
  readonly adoptedFrom: string | null;
  /** Id of the `Decision` beside which it was announced. */
  readonly decision: string | null;
  readonly commit: CommitReference | null;
}

/** What became of an `ActuationIntent`. */
export interface ActuationOutcomePayload extends ActuationIntentPayload {
  /** Id of the `ActuationIntent`. */
  readonly intent: string;
  readonly result: 'Applied' | 'Failed';
  /** Of the HPA after the write; `null`: there is none. */
  readonly resourceVersionAfter: string | null;
  /** Fields that the API server took and did not keep. */
  readonly dropped: readonly FieldDifference[];
  /** `NotApplied`, `MayComeLate`, `Overtaken`, or the API server's reason; `null` where it was applied. */
  readonly code: string | null;
  readonly message: string;
}

/** A condition of an HPA. */
export interface HpaCondition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
}

/** What the status of the policy's HPA said over a time, passes that saw the same folded into one entry. */
export interface HpaObservationPayload {
  readonly policy: PolicyKey;
  readonly uid: string;
  /** Time of the first and of the last pass that saw it. */
  readonly first: string;
  readonly last: string;
  /** Passes, at least 1. */
  readonly count: number;
  readonly currentReplicas: number;
  readonly desiredReplicas: number;
  readonly conditions: readonly HpaCondition[];
  readonly metrics: readonly MetricRange[];
}
