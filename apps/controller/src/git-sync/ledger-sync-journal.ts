import type { PullRequestStorePort, RunEntries, SyncJournalPort } from '#git-sync';
import { AdapterError, canonicalJson } from '#kernel';
import {
  type EntryCursor,
  type EntryDraft,
  type FenceLookup,
  type LedgerEntry,
  type LedgerPort,
  type LedgerWriter,
  maximumPageLimit,
  type PolicyChangePayload,
  policyStream,
  sourceScope,
  type SyncRunPayload,
  syncStream,
  timeNanoseconds,
} from '#ledger';
import { reviewedPullRequest } from '../forge/commit-reviews.ts';

/** Hashing and sending more entries at once would hold the thread for too long. */
const draftsAtOnce = 500;

/** What a journal writes to and reads from. */
export interface LedgerSyncJournalOptions {
  readonly writer: LedgerWriter;
  readonly fences: FenceLookup;
  readonly ledger: Pick<LedgerPort, 'entries'>;
  readonly pullRequests: Pick<PullRequestStorePort, 'load'>;
}

/** Writes what syncs did into the ledger, under the scope of their source: the run on its stream, each change on its policy's. */
export class LedgerSyncJournal implements SyncJournalPort {
  readonly #options: LedgerSyncJournalOptions;

  constructor(options: LedgerSyncJournalOptions) {
    this.#options = options;
  }

  readonly append: SyncJournalPort['append'] = async (entries, ending) => {
    const drafts = draftsOf(await this.#withPullRequest(entries));
    await this.#append(entries.run.source, drafts, ending);
  };

  readonly complete: SyncJournalPort['complete'] = async (entries, ending) => {
    const known = await this.#keysAt(entries.time);
    const { run, changes, time } = entries;
    const missing = changes.filter((change) => !known.has(keyOfChange(change)));
    const drafts = draftsOf(await this.#withPullRequest({ run, changes: missing, time }));
    await this.#append(run.source, known.has(keyOfRun(run)) ? drafts.slice(1) : drafts, ending);
  };

  /** With what is kept of who allowed the commit, as far as a forge said so: none is asked here. */
  async #withPullRequest(entries: RunEntries): Promise<RunEntries> {
    const { run } = entries;
    if (run.commit === null) return entries;
    const kept = (await this.#options.pullRequests.load([run.commit.hash])).get(run.commit.hash);
    if (kept?.verified !== true) return entries;
    return { ...entries, run: { ...run, pullRequest: reviewedPullRequest(kept) } };
  }

  async #append(
    source: string,
    drafts: readonly EntryDraft[],
    ending: AbortSignal | undefined,
  ): Promise<void> {
    const { writer, fences } = this.#options;
    const ofSource = writer.under(() => fences.of(sourceScope(source)));
    for (let start = 0; start < drafts.length; start += draftsAtOnce) {
      ending?.throwIfAborted();
      const appended = await ofSource.append({ drafts: drafts.slice(start, start + draftsAtOnce) });
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

/** The run first, then its changes. */
function draftsOf({ run, changes, time }: RunEntries): readonly EntryDraft[] {
  return [
    { stream: syncStream, kind: 'SyncRun', time, payload: { ...run } },
    ...changes.map((change): EntryDraft => {
      const stream = policyStream(change.policy);
      return { stream, kind: 'PolicyChange', time, payload: { ...change } };
    }),
  ];
}

function keyOfEntry(entry: LedgerEntry): string {
  if (entry.kind === 'SyncRun') return keyOfRun(entry.payload);
  return entry.kind === 'PolicyChange' ? keyOfChange(entry.payload) : '';
}

function keyOfRun({
  source,
  commit,
  outcome,
  message,
}: Omit<SyncRunPayload, 'diagnostics' | 'pullRequest'>): string {
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
