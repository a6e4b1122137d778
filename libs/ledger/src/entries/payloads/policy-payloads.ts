import type { JsonObject } from '#kernel';
import type { PolicyKey } from '../stream-name.ts';
import type { CommitReference, OperatorReference } from './references.ts';

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
  /**
   * Who put it into force, or took it out, in place of the commit's author: by a rollback, a release, a release that was
   * taken back, or the approval that a removed source leaves. Absent: the commit did, and in entries of earlier releases.
   */
  readonly operator?: OperatorReference;
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
