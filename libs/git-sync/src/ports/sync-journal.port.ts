import type { PolicyChangePayload, SyncRunPayload } from '#ledger';

/** What a run leaves in the ledger: the run first, then what it changed, one entry per policy. */
export interface RunEntries {
  readonly run: SyncRunPayload;
  readonly changes: readonly PolicyChangePayload[];
  /** RFC 3339: when it came to that; the time of every entry. */
  readonly time: string;
}

/** Where a sync's entries go: the ledger. */
export interface SyncJournalPort {
  /**
   * Appends in order; resolves once they are durable.
   *
   * @param ending no batch is begun once it aborts
   * @throws AdapterError; the first of them may be durable then, since many go in several batches.
   */
  append(entries: RunEntries, ending?: AbortSignal): Promise<void>;
  /**
   * Appends those that are missing, after an append that may have been stored in part. An entry is there when one
   * has its time, source and commit, and its outcome and message (a run) or its policy and departure (a change).
   *
   * @param ending no batch is begun once it aborts
   * @throws AdapterError
   */
  complete(entries: RunEntries, ending?: AbortSignal): Promise<void>;
}
