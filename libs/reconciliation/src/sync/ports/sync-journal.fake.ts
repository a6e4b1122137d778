import type { PolicyChangePayload, SyncRunPayload } from '#ledger';

import type { SyncJournalPort } from './sync-journal.port.ts';

/** Keeps what a sync recorded. */
export class FakeSyncJournal implements SyncJournalPort {
  readonly runs: SyncRunPayload[] = [];
  readonly changes: PolicyChangePayload[] = [];

  readonly append = (run: SyncRunPayload, changes: readonly PolicyChangePayload[]): Promise<void> => {
    this.runs.push(run);
    this.changes.push(...changes);
    return Promise.resolve();
  };
}
