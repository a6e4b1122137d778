import { AdapterError } from '#kernel';
import {
  type EntryDraft,
  type LedgerWriter,
  maximumBatchEntries,
  type PolicyChangePayload,
  policyStream,
  type SyncRunPayload,
  syncStream,
} from '#ledger';
import { type ClockPort, type SyncJournalPort } from '#reconciliation';

/** Writes what syncs did into the ledger: the run on its stream, each change on its policy's. */
export class LedgerSyncJournal implements SyncJournalPort {
  readonly #writer: LedgerWriter;
  readonly #clock: ClockPort;

  constructor(writer: LedgerWriter, clock: ClockPort) {
    this.#writer = writer;
    this.#clock = clock;
  }

  readonly append = async (run: SyncRunPayload, changes: readonly PolicyChangePayload[]): Promise<void> => {
    const time = this.#clock.now();
    const drafts: EntryDraft[] = [
      { stream: syncStream, kind: 'SyncRun', time, payload: { ...run } },
      ...changes.map((change) => draftOf(change, time)),
    ];
    for (let start = 0; start < drafts.length; start += maximumBatchEntries)
      await this.#append(drafts.slice(start, start + maximumBatchEntries));
  };

  async #append(drafts: readonly EntryDraft[]): Promise<void> {
    const appended = await this.#writer.append({ drafts });
    if (appended.ok) return;
    throw new AdapterError({
      code: appended.error.code,
      message: `the sync's entries were not stored: ${appended.error.code}`,
      retryable: true,
    });
  }
}

function draftOf(change: PolicyChangePayload, time: string): EntryDraft {
  return { stream: policyStream(change.policy), kind: 'PolicyChange', time, payload: { ...change } };
}
