import type { Action, Decision, Memory, Observation, Settings } from '#decision';
import type { JsonObject } from '#kernel';
import type { AsJson } from './as-json.ts';
import type { PolicyKey } from './stream-name.ts';

/** The commit that allowed something. */
export interface CommitReference {
  /** The full object name. */
  readonly hash: string;
  readonly author: string;
  /** The first line of the message. */
  readonly subject: string;
  /** RFC 3339. */
  readonly time: string;
}

/** The object whose replicas changed; the namespace is the policy's. */
export interface TargetReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  /** `null` where it was not observed. */
  readonly uid: string | null;
}

/** A decision in full: with its complete input it can be recomputed offline and must come out the same. */
export interface DecisionPayload {
  readonly policy: PolicyKey;
  /** What put the policy in force; `null` where it came from no repository. */
  readonly commit: CommitReference | null;
  readonly engineVersion: string;
  readonly contractVersion: string;
  readonly input: RecordedInput;
  readonly decision: Decision;
  /** How the native controller acts otherwise than the decision, in sentences; absent: it does not, or does not act. */
  readonly departures?: readonly string[];
}

/** The decision contract's input, complete. */
export interface RecordedInput {
  /** The document in the form that the contract reads, defaults applied. */
  readonly policy: JsonObject;
  readonly settings: Settings;
  readonly observation: Observation;
  readonly memory: Memory;
}

/** The least and the greatest of a value over a run. */
export interface Range<T> {
  readonly min: T;
  readonly max: T;
}

/** What one metric did over a run. */
export interface MetricRange {
  readonly type: string;
  readonly name: string;
  /** `null` when no decision of the run had a proposal of it. */
  readonly proposedReplicas: Range<number> | null;
  /** Those that were computed, in the decision's own form. */
  readonly current: {
    readonly averageUtilization?: Range<number>;
    readonly averageValue?: Range<string>;
    readonly value?: Range<string>;
  };
}

/** Decisions that changed nothing, folded. They repeat the last `Decision` before them in their stream. */
export interface DecisionRunPayload {
  readonly policy: PolicyKey;
  /** Time of the first and of the last decision folded here; the `Decision` itself is not among them. */
  readonly first: string;
  readonly last: string;
  /** At least 1. */
  readonly count: number;
  readonly action: Action;
  readonly desiredReplicas: number | null;
  readonly reason: string;
  readonly metrics: readonly MetricRange[];
}

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
  /** `NotApplied`, `Overtaken`, `TargetGone`, `TargetReplaced`, or the API server's reason. */
  readonly code: string;
  readonly message: string;
}

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
  /** `NotApplied`, `Overtaken`, or the API server's reason; `null` where it was applied. */
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

/**
 * What of a policy's execution changed: `selectionStrategy` (as requested, the gate applied), `actuation`, `algorithm`
 * (one word per metric, in the policy's order; one for all where they agree), `enabled` (`true`, `false`), or `adoption`:
 * an HPA of another manager was taken over, `before` and `after` being the field managers of its spec.
 */
export type StrategyField = 'selectionStrategy' | 'actuation' | 'algorithm' | 'enabled' | 'adoption';

/** A change of how a policy is carried out. */
export interface StrategyChangePayload {
  readonly policy: PolicyKey;
  readonly field: StrategyField;
  /** `null`: pods were not selected before, since the policy is new or was disabled; of an adoption: the manager is not known. */
  readonly before: string | null;
  readonly after: string;
  /** The commit that brought it; `null`: none did, the controller's settings changed (`SettingsChange`). */
  readonly commit: CommitReference | null;
}

/**
 * How a policy left: `Pruned` (its document was deleted, or its source's configuration no longer reads it),
 * `Kept` (the same, with `plimsoll.dev/prune: disabled`: HPA and count stay), `Released` (handed over: HPA and count stay),
 * `RolledBack` (the revision that its source went back to does not have it), `SourceRemoved` (its source is gone).
 */
export type PolicyDeparture = 'Pruned' | 'Kept' | 'Released' | 'RolledBack' | 'SourceRemoved';

/** A policy came, changed or went. */
export interface PolicyChangePayload {
  readonly policy: PolicyKey;
  /** The source's name in the configuration. */
  readonly source: string;
  /** The policy document as it was in force; `null`: it is new. */
  readonly before: JsonObject | null;
  /** `null`: it left. */
  readonly after: JsonObject | null;
  /** How it left; `null`: it did not. */
  readonly departure: PolicyDeparture | null;
  readonly commit: CommitReference | null;
}

/** One look at a source that found something new, or failed. */
export interface SyncRunPayload {
  readonly source: string;
  /** `active`, `held`, `rejected`, `failed`. */
  readonly outcome: string;
  readonly message: string;
  readonly commit: CommitReference | null;
  /** `{severity, code, message, file, line, column, hint}` each. */
  readonly diagnostics: readonly JsonObject[];
  /**
   * Of the commit, where the forge had named it by then; `null`: it came without one. Absent: the forge had not answered,
   * as for most new commits (a `CommitReview` follows), or there is none; and of earlier releases.
   */
  readonly pullRequest?: ReviewedPullRequest | null;
}

/** The pull request that brought a commit, as the forge tells it. */
export interface ReviewedPullRequest {
  readonly number: number;
  /** A login at the forge; `null` where it is not known. */
  readonly author: string | null;
  /** Logins of reviewers whose last word before the merge was yes. */
  readonly approvers: readonly string[];
}

/** Who allowed a commit: recorded once, when the forge has answered, which no sync waits for. */
export interface CommitReviewPayload {
  /** The source's name in the configuration. */
  readonly source: string;
  readonly commit: CommitReference;
  /** `null`: it came without one. */
  readonly pullRequest: ReviewedPullRequest | null;
}

/** What a person or a token asked for, refusals included. */
export interface OperatorActionPayload {
  readonly actor: string;
  readonly action: string;
  /** `Forced`: accepted although guardrails or the tenant's limits say no, by an administrator who said `force`. */
  readonly outcome: 'Accepted' | 'Refused' | 'Forced';
  readonly reason: string | null;
  /** The action's own arguments, secrets left out. */
  readonly arguments: JsonObject;
  /** What it does, as its dry run says: in a sentence, and per policy; absent of what is refused, and of earlier releases. */
  readonly effect?: JsonObject;
}

/** The controller's configuration differs from that of the last start. */
export interface SettingsChangePayload {
  readonly before: JsonObject | null;
  readonly after: JsonObject;
}

/** A signed Merkle root over the heads that all streams had before this entry. */
export interface CheckpointPayload {
  /** From 1, without gaps. */
  readonly number: string;
  /** The signed note, whole. */
  readonly note: string;
}

/** The key of the checkpoints changed: the old one says which comes after it. */
export interface KeyRotationPayload {
  /** Of the first checkpoint that the new key signs. */
  readonly number: string;
  /** The note that says so, whole, signed with both keys. */
  readonly note: string;
}

/** The key of the checkpoints is gone, and another signs from here on: nothing but this entry says that it may. */
export interface KeyLostPayload {
  /** Of the first checkpoint that the new key signs. */
  readonly number: string;
  /** The new public key: base64 of its 32 bytes. */
  readonly key: string;
  /** Who made the new key. */
  readonly actor: string;
  /** Why, in their words. */
  readonly reason: string;
}

/**
 * The database was restored from a backup, and checkpoints after it are known outside: what they cover is lost. The next
 * checkpoint follows the last of them, so that no number is signed twice.
 */
export interface LedgerGapPayload {
  /** Of the last checkpoint that is known outside. */
  readonly number: string;
  /** Its note, whole. */
  readonly note: string;
  /** The number of the last checkpoint that the restored ledger has; `0`: it has none. */
  readonly restored: string;
  /** When the backup was made, RFC 3339. */
  readonly backup: string;
}

/** What is deleted of the ledger: announced before it is, and counted after. */
export interface RetentionRunPayload {
  /** Those in force: of each kind, what is older than `before` goes. */
  readonly rules: readonly RetentionRule[];
  /** Entries that go whole, and what is left of them. */
  readonly segments: readonly ExpiredSegment[];
  /** `null`: it is about to be deleted. */
  readonly deleted: DeletedCounts | null;
}

/** Content of a kind that is deleted by age. */
export interface RetentionRule {
  readonly kind: string;
  /** `Observation` only of a `Decision`. */
  readonly content: 'Payload' | 'Observation';
  /** RFC 3339, exclusive. */
  readonly before: string;
}

/** Entries at the beginning of a stream that are deleted: from number 1. */
export interface ExpiredSegment {
  readonly stream: string;
  /** The number of the last of them. */
  readonly last: string;
  /** The hash of the last of them, which the next one names. */
  readonly hash: string;
}

export interface DeletedCounts {
  readonly payloads: number;
  readonly observations: number;
  readonly entries: number;
}

/** The payload of each kind. */
export interface EntryPayloads {
  readonly Decision: AsJson<DecisionPayload>;
  readonly DecisionRun: AsJson<DecisionRunPayload>;
  readonly ScalingIntent: AsJson<ScalingIntentPayload>;
  readonly ScalingEvent: AsJson<ScalingEventPayload>;
  readonly ScalingFailure: AsJson<ScalingFailurePayload>;
  readonly ActuationIntent: AsJson<ActuationIntentPayload>;
  readonly ActuationOutcome: AsJson<ActuationOutcomePayload>;
  readonly HpaObservation: AsJson<HpaObservationPayload>;
  readonly StrategyChange: AsJson<StrategyChangePayload>;
  readonly PolicyChange: AsJson<PolicyChangePayload>;
  readonly SyncRun: AsJson<SyncRunPayload>;
  readonly CommitReview: AsJson<CommitReviewPayload>;
  readonly OperatorAction: AsJson<OperatorActionPayload>;
  readonly SettingsChange: AsJson<SettingsChangePayload>;
  readonly Checkpoint: AsJson<CheckpointPayload>;
  readonly KeyRotation: AsJson<KeyRotationPayload>;
  readonly KeyLost: AsJson<KeyLostPayload>;
  readonly LedgerGap: AsJson<LedgerGapPayload>;
  readonly RetentionRun: AsJson<RetentionRunPayload>;
}
