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
  readonly origin: 'Plimsoll' | 'External';
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
}

/** Why a `ScalingIntent` changed nothing. It is its outcome, as a `ScalingEvent` is that of the others. */
export interface ScalingFailurePayload {
  readonly policy: PolicyKey;
  readonly target: TargetReference;
  readonly intent: string;
  /** `NotApplied`, `TargetGone`, `TargetReplaced`, or the API server's reason. */
  readonly code: string;
  readonly message: string;
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
}

/** What a person or a token asked for, refusals included. */
export interface OperatorActionPayload {
  readonly actor: string;
  readonly action: string;
  readonly outcome: 'Accepted' | 'Refused';
  readonly reason: string | null;
  /** The action's own arguments, secrets left out. */
  readonly arguments: JsonObject;
}

/** The controller's configuration differs from that of the last start. */
export interface SettingsChangePayload {
  readonly before: JsonObject | null;
  readonly after: JsonObject;
}

/** A signed Merkle root over all stream heads. */
export interface CheckpointPayload {
  readonly merkleRoot: string;
  readonly streams: number;
  readonly keyId: string;
  readonly signature: string;
}

/** The payload of each kind. */
export interface EntryPayloads {
  readonly Decision: AsJson<DecisionPayload>;
  readonly DecisionRun: AsJson<DecisionRunPayload>;
  readonly ScalingIntent: AsJson<ScalingIntentPayload>;
  readonly ScalingEvent: AsJson<ScalingEventPayload>;
  readonly ScalingFailure: AsJson<ScalingFailurePayload>;
  readonly StrategyChange: AsJson<StrategyChangePayload>;
  readonly PolicyChange: AsJson<PolicyChangePayload>;
  readonly SyncRun: AsJson<SyncRunPayload>;
  readonly OperatorAction: AsJson<OperatorActionPayload>;
  readonly SettingsChange: AsJson<SettingsChangePayload>;
  readonly Checkpoint: AsJson<CheckpointPayload>;
}
