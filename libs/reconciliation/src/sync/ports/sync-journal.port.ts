import type { PolicyChangePayload, SyncRunPayload } from '#ledger';

/** Where a sync's entries go: the ledger. */
export interface SyncJournalPort {
  /** Appends in order; resolves once they are durable. Throws `AdapterError`. */
  readonly append: (run: SyncRunPayload, changes: readonly PolicyChangePayload[]) => Promise<void>;
}
