/** What a row of a report is about. */
export type ReportRowKind =
  'ScalingEvent' | 'PolicyChange' | 'StrategyChange' | 'OperatorAction' | 'SyncRun' | 'CommitReview';

/** What an auditor looks at first: what was held, turned down, overridden or forced. */
export const reportExceptions = ['Held', 'Rejected', 'Refused', 'Overridden', 'Forced'] as const;

/**
 * `Held`: a commit waited for approval. `Rejected`: a commit was. `Refused`: an operator's action was.
 * `Overridden`: an operator suspended scaling, replaced bounds or a count, or turned a dry run on. `Forced`: the same
 * against guardrails or limits.
 */
export type ReportException = (typeof reportExceptions)[number];

/** One thing that happened. Texts are as the ledger has them: not escaped for anything. */
export interface ReportRow {
  readonly kind: ReportRowKind;
  /** RFC 3339, in UTC. */
  readonly time: string;
  /** `null`: it concerns no one namespace. */
  readonly namespace: string | null;
  readonly policy: string | null;
  readonly team: string | null;
  /** A person, a token, the author of a commit or of a pull request, or the field manager that scaled. */
  readonly actor: string | null;
  /** `ScaleUp`, `Pruned`, `OverrideReplicas`, …: what was done. */
  readonly action: string;
  readonly before: string | null;
  readonly after: string | null;
  readonly reason: string | null;
  /** The full object name. */
  readonly commit: string | null;
  readonly exception: ReportException | null;
  /** What an action was done with, or who approved a pull request and whose source it is of: canonical JSON. */
  readonly details: string | null;
  /** The entry's id. */
  readonly entry: string;
}
