import { AdapterError } from '#kernel';
import { maximumBatchEntries, type PolicyChangePayload, type SyncRunPayload } from '#ledger';
import type { RunEntries, SyncJournalPort } from './sync-journal.port.ts';

/** What goes wrong with a coming batch. */
export type SyncJournalFault = 'Refused' | 'LostAfterStoring';

/** One entry. */
type FakeEntry =
  | { readonly time: string; readonly run: SyncRunPayload }
  | { readonly time: string; readonly change: PolicyChangePayload };

/** Keeps what syncs recorded, in batches, with faults on request. It survives a "crash" of its users. */
export class FakeSyncJournal implements SyncJournalPort {
  readonly entries: FakeEntry[] = [];
  /** Faults of the coming batches, in order; `null` is none. */
  readonly faults: (SyncJournalFault | null)[] = [];
  batchEntries = maximumBatchEntries;
  /** Is called when a batch was stored. */
  onStored: () => void = () => undefined;

  get runs(): readonly SyncRunPayload[] {
    return this.entries.flatMap((entry) => ('run' in entry ? [entry.run] : []));
  }

  get changes(): readonly PolicyChangePayload[] {
    return this.entries.flatMap((entry) => ('change' in entry ? [entry.change] : []));
  }

  readonly append = (entries: RunEntries, ending?: AbortSignal): Promise<void> =>
    this.#store(entriesOf(entries), ending);

  readonly complete = (entries: RunEntries, ending?: AbortSignal): Promise<void> => {
    const known = new Set(this.entries.map(keyOf));
    const missing = entriesOf(entries).filter((entry) => !known.has(keyOf(entry)));
    return this.#store(missing, ending);
  };

  async #store(entries: readonly FakeEntry[], ending: AbortSignal | undefined): Promise<void> {
    for (let start = 0; start < entries.length; start += this.batchEntries) {
      ending?.throwIfAborted();
      const fault = this.faults.shift() ?? null;
      if (fault !== 'Refused') this.entries.push(...entries.slice(start, start + this.batchEntries));
      if (fault !== null) throw failure(fault);
      this.onStored();
      await Promise.resolve();
    }
  }
}

function entriesOf({ run, changes, time }: RunEntries): readonly FakeEntry[] {
  return [{ run, time }, ...changes.map((change) => ({ change, time }))];
}

function keyOf(entry: FakeEntry): string {
  const { source, commit } = 'run' in entry ? entry.run : entry.change;
  return JSON.stringify([entry.time, source, commit?.hash ?? null, ...ownKey(entry)]);
}

function ownKey(entry: FakeEntry): readonly (string | null)[] {
  if ('run' in entry) return [entry.run.outcome, entry.run.message];
  const { policy, departure } = entry.change;
  return [policy.namespace, policy.name, departure];
}

function failure(fault: SyncJournalFault): AdapterError {
  const code = fault === 'Refused' ? 'QueueFull' : 'Timeout';
  return new AdapterError({ code, message: 'the entries were not stored', retryable: true });
}
