import type { Result } from '#kernel';
import type { ChainedEntry, EntryDraft, PolicyState } from '#ledger';

/** What of a request the journal takes: everything but an intent. */
export interface JournalRequest {
  /** Of one policy. None is an intent. */
  readonly drafts: readonly EntryDraft[];
  readonly states: readonly PolicyState[];
  /** Called when the ledger has it, which may be much later. */
  onReplayed(entries: readonly ChainedEntry[]): void;
}

/** Why the journal took nothing. */
export interface JournalRefusal {
  readonly code: 'JournalFull' | 'JournalBroken';
  readonly message: string;
}

/**
 * Keeps on disk what the ledger cannot take in an outage of its database, and appends it to the ledger, in order and once,
 * when it can. It never holds an intent: without the database nothing is written to Kubernetes.
 */
export interface JournalPort {
  /** Whether records wait for the ledger. What is appended meanwhile must follow them, so it goes by the journal. */
  readonly isInUse: boolean;
  /**
   * @param reason why the database takes nothing, in a sentence
   * @returns ok once the request is durable on disk
   */
  record(request: JournalRequest, reason: string): Promise<Result<undefined, JournalRefusal>>;
}
