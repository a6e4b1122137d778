import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { openLedgerDatabase } from '#adapter-sql';
import type { RunEntries, SyncJournalPort } from '#git-sync';
import { FakePullRequestStore, FakeSyncJournal } from '#git-sync/testing';
import {
  HeldFences,
  type LedgerPort,
  LedgerWriter,
  maximumBatchEntries,
  type PolicyChangePayload,
  sourceScope,
  syncStream,
} from '#ledger';
import { InMemoryLedger, takeFence } from '#ledger/testing';
import { LedgerSyncJournal } from '../../../apps/controller/src/git-sync/ledger-sync-journal.ts';
import { migratedAhead } from '../../support/migrated-ahead.ts';
import { startPostgres } from '../../support/postgres.ts';

/** A journal, and what it holds. */
interface OpenJournal {
  readonly journal: SyncJournalPort;
  /** `time word` an entry, in order: a run's outcome, a change's policy. */
  readonly recorded: () => Promise<readonly string[]>;
}

const closers: (() => Promise<unknown>)[] = [];

const journals: readonly { readonly name: string; readonly open: () => Promise<OpenJournal> }[] = [
  { name: 'memory', open: openFake },
  { name: 'SQLite', open: openSqlite },
  { name: 'PostgreSQL', open: openPostgres },
];

const at = (second: number): string => `2026-03-01T00:00:0${second}.000Z`;
const commit = (hash: string) => ({ hash, author: 'Ada <ada@example.com>', subject: hash, time: at(0) });

function change(name: string, given: Partial<PolicyChangePayload> = {}): PolicyChangePayload {
  const document = { spec: { maxReplicas: 3 } };
  return {
    policy: { namespace: 'shop', name },
    source: 'policies',
    before: null,
    after: document,
    departure: null,
    commit: commit('one'),
    ...given,
  };
}

function entries(second: number, changes: readonly PolicyChangePayload[], outcome = 'active'): RunEntries {
  const run = { source: 'policies', outcome, message: 'fine', commit: commit('one'), diagnostics: [] };
  return { run, changes, time: at(second) };
}

describe.each(journals)('the journal of syncs in $name', ({ open }) => {
  it('appends a run, then what it changed, at the time of the run', async () => {
    const { journal, recorded } = await open();
    await journal.append(entries(1, [change('a'), change('b')]));
    await journal.append(entries(2, [], 'held'));
    await expect(recorded()).resolves.toEqual(['1 active', '1 a', '1 b', '2 held']);
  });

  it('completes what is there in part, and does nothing more', async () => {
    const { journal, recorded } = await open();
    await journal.append(entries(1, [change('a')]));
    const whole = entries(1, [change('a'), change('b'), change('c', { after: null, departure: 'Pruned' })]);
    await journal.complete(whole);
    await journal.complete(whole);
    await expect(recorded()).resolves.toEqual(['1 active', '1 a', '1 b', '1 c']);
  });

  it('completes what is not there at all', async () => {
    const { journal, recorded } = await open();
    await journal.complete(entries(1, [change('a')]));
    await expect(recorded()).resolves.toEqual(['1 active', '1 a']);
  });

  it('takes no entry of another time, source, commit, outcome or departure for one that is missing', async () => {
    const { journal, recorded } = await open();
    const gone = { before: { spec: {} }, after: null };
    const whole = entries(3, [change('a', { ...gone, departure: 'Kept' })]);
    const { run } = whole;
    await journal.append({ ...whole, time: at(2) });
    await journal.append({ ...whole, time: at(4) });
    await journal.append({
      ...whole,
      run: { ...run, source: 'others' },
      changes: [change('a', { source: 'others' })],
    });
    await journal.append({ ...whole, run: { ...run, commit: commit('two') }, changes: [] });
    await journal.append(entries(3, [change('a', { ...gone, departure: 'Pruned' })], 'failed'));
    await journal.append({
      ...whole,
      run: { ...run, commit: null },
      changes: [change('a', { commit: commit('two') })],
    });
    const before = (await recorded()).length;
    await journal.complete(whole);
    expect(await recorded()).toHaveLength(before + 2);
  });

  it('completes a run of more than one batch and page', async () => {
    const { journal, recorded } = await open();
    const changes = Array.from({ length: maximumBatchEntries + 10 }, (_, index) => change(`p${index}`));
    await journal.append(entries(1, changes.slice(0, maximumBatchEntries - 1)));
    await journal.complete(entries(1, changes));
    const found = await recorded();
    expect(found).toHaveLength(changes.length + 1);
    expect(new Set(found).size).toBe(found.length);
  }, 60_000);

  it('begins no batch once the process ends, and the rest is completed later', async () => {
    const { journal, recorded } = await open();
    const changes = Array.from({ length: maximumBatchEntries }, (_, index) => change(`p${index}`));
    const process = new AbortController();
    let batches = 0;
    const ending = Object.assign(process.signal, {
      throwIfAborted: () => {
        batches += 1;
        if (batches > 1) throw new Error('the process is ending');
      },
    });
    await expect(journal.append(entries(1, changes), ending)).rejects.toThrow('the process is ending');
    const stored = (await recorded()).length;
    expect([stored > 0, stored <= maximumBatchEntries]).toEqual([true, true]);
    await expect(journal.complete(entries(1, changes), ending)).rejects.toThrow('the process is ending');
    expect(await recorded()).toHaveLength(stored);
    await journal.complete(entries(1, changes));
    const found = await recorded();
    expect([found.length, new Set(found).size]).toEqual([changes.length + 1, changes.length + 1]);
  }, 60_000);
});

afterAll(async () => {
  for (const close of closers.reverse()) await close();
});

function openFake(): Promise<OpenJournal> {
  const journal = new FakeSyncJournal();
  const recorded = (): Promise<readonly string[]> =>
    Promise.resolve(
      journal.entries.map((entry) =>
        word(entry.time, 'run' in entry ? entry.run.outcome : entry.change.policy.name),
      ),
    );
  return Promise.resolve({ journal, recorded });
}

async function openSqlite(): Promise<OpenJournal> {
  const folder = await mkdtemp(join(tmpdir(), 'plimsoll-journal-'));
  closers.push(() => rm(folder, { recursive: true, force: true }));
  return openLedger(`sqlite:${join(folder, 'ledger.db')}`);
}

describe('the journal of syncs in the ledger', () => {
  it('names the pull request of a run as far as the forge has named it', async () => {
    const ledger = new InMemoryLedger();
    const fence = await takeFence(ledger.fences, { scope: sourceScope('policies') });
    const pullRequests = new FakePullRequestStore();
    const journal = new LedgerSyncJournal({
      writer: new LedgerWriter({ port: ledger, fence, cluster: 'test' }),
      fences: new HeldFences([fence]),
      ledger,
      pullRequests,
    });
    const pullRequest = { number: 12, author: 'alex', approvers: ['ada'] };
    const kept = [
      { ...pullRequest, verified: false },
      { ...pullRequest, verified: true },
      { number: null, author: null, approvers: [], verified: true },
    ];
    await journal.append(entries(1, []));
    for (const [index, each] of kept.entries()) {
      pullRequests.records.set('one', each);
      await journal.complete(entries(index + 2, []));
    }
    const runs = await ledger.streamEntries({ stream: syncStream, after: 0n, limit: 10 });
    expect(runs.map((run) => run.kind === 'SyncRun' && run.payload.pullRequest)).toEqual([
      undefined,
      undefined,
      pullRequest,
      null,
    ]);
  });
});

let server: ReturnType<typeof startPostgres> | undefined;
let databases = 0;

async function openPostgres(): Promise<OpenJournal> {
  if (server === undefined) {
    server = startPostgres();
    closers.push(async () => (await server)?.stop());
  }
  return openLedger(await (await server).createDatabase(`journal${(databases += 1)}`));
}

async function openLedger(url: string): Promise<OpenJournal> {
  const { ledger, fences, close } = await openLedgerDatabase({ url: await migratedAhead(url) });
  closers.push(close);
  const fence = await takeFence(fences);
  const sources = ['policies', 'others'].map((name) => takeFence(fences, { scope: sourceScope(name) }));
  const held = new HeldFences(await Promise.all(sources));
  const writer = new LedgerWriter({ port: ledger, fence, cluster: 'test' });
  return {
    journal: new LedgerSyncJournal({
      writer,
      fences: held,
      ledger,
      pullRequests: new FakePullRequestStore(),
    }),
    recorded: () => entriesOf(ledger),
  };
}

async function entriesOf(ledger: LedgerPort): Promise<readonly string[]> {
  const found: string[] = [];
  for (let after = {}; ;) {
    const page = await ledger.entries({
      kinds: ['SyncRun', 'PolicyChange'],
      order: 'OldestFirst',
      limit: 1_000,
      ...after,
    });
    for (const { entry } of page.items) {
      if (entry.kind === 'SyncRun') found.push(word(entry.time, entry.payload.outcome));
      if (entry.kind === 'PolicyChange') found.push(word(entry.time, entry.payload.policy.name));
    }
    const last = page.items.at(-1);
    if (!page.hasMore || last === undefined) return found;
    after = { after: last.cursor };
  }
}

function word(time: string, text: string): string {
  return `${time.slice(18, 19)} ${text}`;
}
