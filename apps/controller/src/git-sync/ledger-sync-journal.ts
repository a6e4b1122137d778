import type { RunEntries, SyncJournalPort } from '#git-sync';
import { AdapterError, canonicalJson } from '#kernel';
import {
  type EntryCursor,
  type EntryDraft,
  type FenceLookup,
  type LedgerEntry,
  type LedgerPort,
  type LedgerWriter,
  maximumBatchEntries,
  maximumPageLimit,
  type PolicyChangePayload,
  policyStream,
  sourceScope,
  type SyncRunPayload,
  syncStream,
  timeNanoseconds,
} from '#ledger';

/** What a journal writes to and reads from. */
export interface LedgerSyncJournalOptions {
  readonly writer: LedgerWriter;
  readonly fences: FenceLookup;
  readonly ledger: Pick<LedgerPort, 'entries'>;
}

/** Writes what syncs did into the ledger, under the scope of their source: the run on its stream, each change on its policy's. */
export class LedgerSyncJournal implements SyncJournalPort {
  readonly #options: LedgerSyncJournalOptions;

  constructor(options: LedgerSyncJournalOptions) {
    this.#options = options;
  }

  readonly append = (entries: RunEntries): Promise<void> =>
    this.#append(entries.run.source, keyedDrafts(entries));

  readonly complete = async (entries: RunEntries): Promise<void> => {
    const known = await this.#keysAt(entries.time);
    const missing = keyedDrafts(entries).filter(({ key }) => !known.has(key));
    await this.#append(entries.run.source, missing);
  };

  async #append(source: string, keyed: readonly KeyedDraft[]): Promise<void> {
    const { writer, fences } = this.#options;
    const ofSource = writer.under(() => fences.of(sourceScope(source)));
    for (let start = 0; start < keyed.length; start += maximumBatchEntries) {
      const drafts = keyed.slice(start, start + maximumBatchEntries).map(({ draft }) => draft);
      const appended = await ofSource.append({ drafts });
      if (!appended.ok) {
        throw new AdapterError({
          code: appended.error.code,
          message: `the sync's entries were not stored: ${appended.error.code}`,
          retryable: true,
        });
      }
    }
  }

  /** What syncs recorded at one moment: the entries of one run, rarely of two. */
  async #keysAt(time: string): Promise<ReadonlySet<string>> {
    const keys = new Set<string>();
    const from = timeNanoseconds(time);
    // The append refuses what is no time.
    if (from === null) return keys;
    let after: EntryCursor | undefined;
    for (;;) {
      const { items, hasMore } = await this.#options.ledger.entries({
        kinds: ['SyncRun', 'PolicyChange'],
        from,
        until: from + 1n,
        order: 'OldestFirst',
        limit: maximumPageLimit,
        ...(after === undefined ? {} : { after }),
      });
      for (const { entry } of items) keys.add(keyOfEntry(entry));
      after = items.at(-1)?.cursor;
      if (!hasMore || after === undefined) return keys;
    }
  }
}

interface KeyedDraft {
  readonly key: string;
  readonly draft: EntryDraft;
}

function keyedDrafts({ run, changes, time }: RunEntries): readonly KeyedDraft[] {
  return [
    { key: keyOfRun(run), draft: { stream: syncStream, kind: 'SyncRun', time, payload: { ...run } } },
    ...changes.map((change): KeyedDraft => {
      const stream = policyStream(change.policy);
      return {
        key: keyOfChange(change),
        draft: { stream, kind: 'PolicyChange', time, payload: { ...change } },
      };
    }),
  ];
}

function keyOfEntry(entry: LedgerEntry): string {
  if (entry.kind === 'SyncRun') return keyOfRun(entry.payload);
  return entry.kind === 'PolicyChange' ? keyOfChange(entry.payload) : '';
}

function keyOfRun({ source, commit, outcome, message }: Omit<SyncRunPayload, 'diagnostics'>): string {
  return canonicalJson([source, commit?.hash ?? null, outcome, message]);
}

function keyOfChange({
  source,
  commit,
  policy,
  departure,
}: Omit<PolicyChangePayload, 'before' | 'after'>): string {
  return canonicalJson([source, commit?.hash ?? null, policy.namespace, policy.name, departure]);
}
