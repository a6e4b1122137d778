import type { Condition, Decision, Memory } from '#decision';
import type { HpaObservationPayload } from '../entries/payloads/hpa-payloads.ts';
import type { PolicyKey } from '../entries/stream-name.ts';
import type { OpenRun } from '../runs/fold-decision.ts';

/**
 * The code of an `AdapterError` of which the message names the policy: what is recorded of it is there and cannot be read.
 * Asked for without it, the others are read.
 */
export const recordDamaged = 'RecordDamaged';

/** What a restart restores of a policy: one mutable row per policy, outside the chain. */
export interface PolicyState {
  readonly policy: PolicyKey;
  /** The memory that the next decision starts from. */
  readonly memory: Memory;
  /** The memory to use instead where the pending intent turns out to have been written. */
  readonly memoryIfWritten: Memory | null;
  readonly openRun: OpenRun | null;
  /** The latest decision, folded or not; `null` before the first. */
  readonly lastDecision: LastDecision | null;
  /** How the policy was carried out when that was last recorded; `null`: written by a release without it. */
  readonly strategy: RecordedStrategy | null;
  /** Up to where changes of the target's replicas are in the stream; `null`: not known. */
  readonly account: AccountedReplicas | null;
  /** What others undid of it; `null`: nothing, or written by a release without it. */
  readonly contest: RecordedContest | null;
  /** The write of it that the API server refuses; `null`: none, or written by a release without it. */
  readonly refusal: RecordedRefusal | null;
  /** RFC 3339. */
  readonly updatedAt: string;
}

/** Writes of Plimsoll that others undid, so that a restart neither forgets a contest nor writes sooner in it. */
export interface RecordedContest {
  /** Plimsoll's write, where it was the last change of the target's replicas; `null`: it was not. */
  readonly write: { readonly from: number; readonly to: number } | null;
  /** The change of the policy's HPA by others that is counted and not corrected; `null`: none. */
  readonly drift: string | null;
  /** When the latest writes were undone, oldest first, RFC 3339; as many as begin a contest at most. */
  readonly reversedAt: readonly string[];
  /** Who undid the last one; `null`: not known. */
  readonly manager: string | null;
  /** Reversals since the contest began; 0: there is none. */
  readonly reversals: number;
}

/** A write that was refused and not made since, so that a restart does not try it sooner. */
export interface RecordedRefusal {
  readonly direction: 'Up' | 'Down';
  /** The replicas that were written to a scale, or in words what was done with the policy's HPA. */
  readonly wanted: number | string;
  /** Of the target; `null`: not known. */
  readonly targetUid: string | null;
  /** Of the policy: the commit and the file that brought it. */
  readonly version: string;
  /** Of the last refusal, as in its `ScalingFailure` or `ActuationOutcome`. */
  readonly code: string;
  /** What could not be done, and what the API server said. */
  readonly message: string;
  /** Of the first refusal, RFC 3339. */
  readonly since: string;
  /** When the latest ones were, oldest first, RFC 3339; as many as let writes wait at most. */
  readonly refusedAt: readonly string[];
  /** Refusals since writes began to wait; 0: none waits. */
  readonly refusals: number;
}

/** The count of a target that every replica is accounted for up to. */
export interface AccountedReplicas {
  /** The target's; `null`: not known. */
  readonly uid: string | null;
  readonly replicas: number;
  /** The target's version with that count; `null`: not known, so any change that is seen is later. */
  readonly resourceVersion: string | null;
}

/**
 * How a policy is carried out according to its stream. The next `StrategyChange` is the difference from it. It becomes
 * durable together with the entries that it reflects, so that none is appended twice. `null`: not recorded yet.
 */
export interface RecordedStrategy {
  /** The strategy that passes used, after the feature gate. */
  readonly selectionStrategy: string | null;
  /** The strategy in the policy at that time: where only the other field has changed, the settings changed it. */
  readonly writtenSelectionStrategy: string | null;
  readonly actuation: string | null;
  readonly algorithm: string | null;
  readonly enabled: string | null;
  /** The count that the policy, which was disabled, has yet to restore on `targetUid`; null or absent: none. */
  readonly restoreReplicas?: number | null;
  /** Uid of the target that the policy was carried out on last; null or absent: not known. */
  readonly targetUid?: string | null;
  /** The HPA that the policy is rendered into; null or absent: none was made. */
  readonly hpa?: RecordedHpa | null;
}

/** What is known of a policy's HPA: what was rendered last, and what the API server made of it. */
export interface RecordedHpa {
  /** Null: there is none. */
  readonly uid: string | null;
  /** Of the target that owns it; null: not known. */
  readonly targetUid: string | null;
  /** Digest of what was rendered last. */
  readonly rendered: string | null;
  /** Digest of the HPA that the API server answered with; null: there is none. */
  readonly answered: string | null;
  /** Null: the API server keeps all of it. */
  readonly unsupported: UnsupportedHpa | null;
  /** The latest status, folded; null: none was seen. */
  readonly observation: HpaObservationPayload | null;
}

/** What an API server does not support of what was rendered last. */
export interface UnsupportedHpa {
  readonly message: string;
  /** Null: not known. */
  readonly serverVersion: string | null;
  /** When the HPA was refused as a whole, RFC 3339; null: it was taken, without some fields. */
  readonly refusedAt: string | null;
  /**
   * When it was taken with another value of a field, RFC 3339; null: with none, and absent where it was stored before this was
   * told apart. A server that does not know a field leaves it out; another value is admission's, which knows no versions.
   */
  readonly changedAt?: string | null;
}

/** A policy's latest decision, and the ledger entry of it or of the decision that it repeats. */
export interface LastDecision {
  /** Id of the `Decision` entry; `null`: it is in the journal of an outage, and has no number yet. */
  readonly entry: string | null;
  readonly decision: Decision;
}

/** What people see of a policy, with the times of the last transitions: one mutable row per policy, outside the chain. */
export interface RecordedConditions {
  readonly policy: PolicyKey;
  /** Empty: the policy left, and has none any more. */
  readonly conditions: readonly Condition[];
}
