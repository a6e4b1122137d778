/** Who allowed a commit. */
export interface PullRequest {
  /** Null: it came without one. */
  readonly number: number | null;
  /** A forge login; null where it is not known. */
  readonly author: string | null;
  /** Forge logins of reviewers whose last word before the merge was yes; as the message names them where unverified. */
  readonly approvers: readonly string[];
  /** Whether the forge says so; otherwise it is taken from the commit message, which its author wrote. */
  readonly verified: boolean;
}

/** What a forge shows beside a commit. */
export interface CommitStatus {
  readonly commit: string;
  readonly state: 'pending' | 'success' | 'failure';
  /** Distinguishes it from the statuses of others: `plimsoll/prod-eu-1/policies`. */
  readonly context: string;
  /** One line. The forge's adapter cuts it to what the forge takes. */
  readonly description: string;
}

/** A repository at its forge. Both throw `AdapterError`: retryable where the forge may answer later. */
export interface ForgePort {
  /** The merged pull request that brought a commit to the branch; null where the forge knows of none. */
  loadPullRequest(commit: string, branch: string): Promise<PullRequest | null>;
  writeStatus(status: CommitStatus): Promise<void>;
}

/** Who allowed each commit, kept. */
export interface PullRequestStorePort {
  /** What is known of these commits, at most 100; those of which nothing is known are left out. */
  load(commits: readonly string[]): Promise<ReadonlyMap<string, PullRequest>>;
  /** Saves what is known, for the source that asked; a forge's answer is not replaced by what a message says. */
  save(source: string, commit: string, pullRequest: PullRequest): Promise<void>;
}
