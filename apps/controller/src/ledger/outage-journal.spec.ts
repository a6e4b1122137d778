import { mkdtemp, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { lockForProcess } from '#adapter-sql';
import { AdapterError } from '#kernel';
import {
  entryId,
  HeldFences,
  journalLine,
  LedgerWriter,
  parseJournalLine,
  type PolicyState,
  shardScope,
} from '#ledger';
import { InMemoryLedger, InMemoryShardLayout } from '#ledger/testing';
import type { JournalRequest } from '#reconciliation';
import { FakeClock } from '#reconciliation/testing';
import {
  aDecision,
  aDecisionDraft,
  anEventDraft,
  aState,
  checkout,
  timeAfter,
} from '../../../../test/support/ledger-builders.ts';
import { Shards } from '../coordination/shards/shards.ts';
import { OutageJournal } from './outage-journal.ts';

let folder = '';
let ledger: InMemoryLedger;
let clock: FakeClock;
let logged: string[];
/** Of the ledger that processes have. */
let ledgerId = '';
let journal: OutageJournal;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'plimsoll-journal-'));
  ledger = new InMemoryLedger();
  clock = new FakeClock();
  logged = [];
  ledgerId = 'a'.repeat(32);
  journal = await start();
});

afterEach(async () => {
  await journal.close();
  await rm(folder, { recursive: true });
});

// The data folder is made with the first start.
const file = (): string => join(folder, 'data', 'outage-journal');

/** A process, up to where its policies begin. */
async function start({
  between = 0,
  betweenScopes,
  holding,
  maximumBytes,
}: Starting = {}): Promise<OutageJournal> {
  const log = (_: object, message: string): void => void logged.push(message);
  let fences = new HeldFences([]);
  const holdings = {
    of: (scope: string) => fences.of(scope),
    holds: (scope: string) => fences.has(scope),
    mayWrite: () => true,
  };
  const shards = new Shards(holdings, new InMemoryShardLayout(new InMemoryLedger()));
  const scopes = holding ?? shards.all.map(shardScope);
  const next = new OutageJournal({
    path: file(),
    ...(maximumBytes === undefined ? {} : { maximumBytes }),
    lock: lockForProcess,
    ledger,
    ledgerId: () => Promise.resolve(ledgerId),
    writer: new LedgerWriter({ port: ledger, fence: shards.fencesFor, cluster: 'test' }),
    shards,
    holdings,
    fencePort: ledger.fences,
    holder: 'another',
    clock,
    logger: { info: log, warn: log },
  });
  try {
    for (let other = 0; other < between; other += 1)
      for (const scope of scopes) ledger.fences.takeOver(scope);
    for (const scope of betweenScopes ?? []) ledger.fences.takeOver(scope);
    await next.open();
    fences = new HeldFences(scopes.map((scope) => ledger.fences.takeOver(scope)));
    await next.takeUp();
    return next;
  } catch (error) {
    await next.close();
    throw error;
  }
}

interface Starting {
  /** Other processes that held every shard since. */
  readonly between?: number;
  /** Shards that one other process held since. */
  readonly betweenScopes?: readonly string[];
  /** What this process holds; every shard by default. */
  readonly holding?: readonly string[];
  readonly maximumBytes?: number;
}

/** A process that comes after this one was killed. */
async function restart(starting: Starting = {}): Promise<void> {
  await journal.close();
  journal = await start(starting);
}

function aRequest(seconds: number, changes: Partial<JournalRequest> = {}): JournalRequest {
  return {
    drafts: [anEventDraft({ origin: 'External', intent: null }, timeAfter(seconds))],
    states: [],
    onReplayed: () => undefined,
    ...changes,
  };
}

const full = 'DatabaseFull: the disk is full';

/** Lets the time come at which the journal is replayed, and waits for it. */
async function replay(): Promise<void> {
  clock.advance(1_000);
  await journal.whenIdle;
}

function times(stream = 'policy:shop/checkout'): readonly string[] {
  return ledger.entriesInOrder.filter((entry) => entry.stream === stream).map(({ time }) => time);
}

describe('the journal of an outage', () => {
  it('keeps requests in order until the ledger takes them, and says so once', async () => {
    ledger.outage = 'Broken';
    const kept = await Promise.all([1, 2, 3].map((seconds) => journal.record(aRequest(seconds), full)));
    expect(kept.every(({ ok }) => ok)).toBe(true);
    expect(journal.reason).toBe(full);
    await replay();
    expect(journal.isInUse).toBe(true);
    expect(journal.since).not.toBeNull();
    expect(journal.reason).toBe('the disk is full');
    expect(journal.counts).toMatchObject({ records: 3, refusals: 0 });
    ledger.outage = null;
    await replay();
    expect(times()).toEqual([1, 2, 3].map(timeAfter));
    expect(journal.isInUse).toBe(false);
    expect([journal.since, journal.reason]).toEqual([null, null]);
    expect(logged).toEqual([
      'the database did not take what was decided: until it does, policies are decided from memory, nothing is written to Kubernetes, and the journal keeps what is decided',
      'the database takes entries again, and has what was decided meanwhile',
    ]);
  });

  it('is taken up by the next process, in the streams of the policies', async () => {
    for (const seconds of [1, 2]) await journal.record(aRequest(seconds), full);
    await restart();
    expect(times()).toEqual([1, 2].map(timeAfter));
    await restart();
    expect(times()).toHaveLength(2);
  });

  it('is taken up in order by a process that comes after one that could not take it up', async () => {
    await journal.record(aRequest(1), full);
    ledger.outage = 'Broken';
    await expect(restart()).rejects.toThrow('the disk is full');
    ledger.outage = null;
    await restart();
    expect(times()).toEqual([timeAfter(1)]);
  });

  it('goes on from what a release kept that had one shard', async () => {
    await journal.record(aRequest(1, { states: [aState(checkout)] }), full);
    await journal.close();
    // That release named no scope, and held the first shard alone.
    const [header, begin, line = ''] = (await readFile(file(), 'utf8')).split('\n');
    const { scope, ...before } = parseJournalLine(line)!;
    expect(scope).toBe('shard/3');
    await writeFile(file(), `${header}\n${begin}\n${journalLine(before)}`);
    journal = await start();
    expect(times()).toEqual([timeAfter(1)]);
    expect(ledger.states.size).toBe(1);
  });

  it('goes to the late streams for the shards alone that another process has held', async () => {
    const billing = { namespace: 'shop', name: 'billing' };
    const ofBilling = (seconds: number): JournalRequest => {
      const drafts = [anEventDraft({ intent: null, policy: billing }, timeAfter(seconds))];
      return aRequest(seconds, { drafts, states: [aState(billing)] });
    };
    await journal.record(aRequest(1), full);
    await journal.record(ofBilling(2), full);
    await journal.record(aRequest(3), full);
    await restart({ betweenScopes: ['shard/13'] });
    expect(times()).toEqual([1, 3].map(timeAfter));
    expect(times('policy:shop/billing')).toEqual([]);
    expect(times('late:shop/billing')).toEqual([timeAfter(2)]);
    expect(ledger.states.size).toBe(0);
  });

  it('refuses what is about a policy that another process decides now', async () => {
    await journal.close();
    journal = await start({ holding: ['shard/13'] });
    const kept = await journal.record(aRequest(1), full);
    expect(kept).toEqual({
      ok: false,
      error: { code: 'JournalBroken', message: 'another process decides the policy now' },
    });
  });

  it('goes to the late streams, with its epoch, where another process was there in between', async () => {
    const intent = 'policy:shop/checkout#7';
    const late = aRequest(1, {
      drafts: [anEventDraft({ intent }, timeAfter(1))],
      states: [aState(checkout)],
    });
    await journal.record(late, full);
    await restart({ between: 1 });
    expect(times()).toEqual([]);
    expect(times('late:shop/checkout')).toEqual([timeAfter(1)]);
    expect(ledger.payloadsOf('ScalingEvent')).toMatchObject([{ epoch: '1', intent }]);
    expect(ledger.states.size).toBe(0);
  });

  it('is replayed once, where the process ends right after the ledger took it', async () => {
    await journal.record(aRequest(1), full);
    const content = await readFile(file());
    await restart();
    await journal.close();
    // As if the file had not been begun anew.
    await writeFile(file(), content);
    await restart();
    expect(times()).toHaveLength(1);
  });

  it('is replayed once, where the answer of the ledger was lost', async () => {
    await journal.record(aRequest(1), full);
    ledger.faults.push('LostAfterStoring');
    await replay();
    await replay();
    expect(times()).toHaveLength(1);
    expect(journal.isInUse).toBe(false);
  });

  it('forgets a torn record, which nobody was told was kept', async () => {
    for (const seconds of [1, 2]) await journal.record(aRequest(seconds), full);
    await journal.close();
    const text = await readFile(file(), 'utf8');
    await truncate(file(), Buffer.byteLength(text.slice(0, text.lastIndexOf('\n') - 3)));
    await restart();
    expect(times()).toEqual([timeAfter(1)]);
  });

  it('is begun anew when all of it is replayed', async () => {
    for (let round = 1; round <= 3; round += 1) {
      await journal.record(aRequest(round), full);
      await replay();
    }
    await journal.record(aRequest(4), full);
    await restart();
    expect(times()).toEqual([1, 2, 3, 4].map(timeAfter));
  });

  it('gives the state of a policy the number of its decision', async () => {
    const state: PolicyState = {
      ...aState(checkout),
      lastDecision: { entry: null, decision: aDecision() },
    };
    const ids: unknown[] = [];
    const decided = aRequest(1, {
      drafts: [aDecisionDraft()],
      states: [state],
      onReplayed: (entries) => ids.push(entryId(entries.at(-1)!)),
    });
    await journal.record(aRequest(0), full);
    await journal.record(decided, full);
    await replay();
    expect(ids).toEqual(['policy:shop/checkout#2']);
    expect(ledger.states.get('policy:shop/checkout')?.lastDecision?.entry).toBe('policy:shop/checkout#2');
    await journal.record(aRequest(2, { states: [state] }), full);
    await replay();
    expect(ledger.states.get('policy:shop/checkout')?.lastDecision?.entry).toBe('policy:shop/checkout#2');
  });

  it('puts a record that contradicts the ledger into the late stream, and goes on', async () => {
    const outcome = aRequest(1, {
      drafts: [anEventDraft({ intent: 'policy:shop/checkout#7' }, timeAfter(1))],
    });
    await journal.record(outcome, full);
    await journal.record(aRequest(2), full);
    await replay();
    expect(times()).toEqual([timeAfter(2)]);
    expect(times('late:shop/checkout')).toEqual([timeAfter(1)]);
  });

  it('takes nothing while another process has it, and says so', async () => {
    const second = await start();
    // Before an outage: who operates it can still do something about it.
    expect(second.refusing).toEqual({
      since: expect.any(String),
      message: expect.stringMatching(
        /^there is no journal \(.* is in use by process .*\): in an outage of the database nothing/,
      ),
    });
    const refused = await second.record(aRequest(1), full);
    expect(refused).toMatchObject({ ok: false, error: { code: 'JournalBroken' } });
    expect(refused).toMatchObject({ error: { message: expect.stringContaining('is in use by process') } });
    expect(second.counts.refusals).toBe(1);
    await second.close();
  });

  it('takes nothing more than there is room for, and takes it again when the ledger has the rest', async () => {
    await restart({ maximumBytes: 1_500 });
    const kept = await Promise.all([1, 2, 3].map((seconds) => journal.record(aRequest(seconds), full)));
    expect(kept).toMatchObject([{ ok: true }, { ok: true }, { ok: false, error: { code: 'JournalFull' } }]);
    expect(journal.refusing?.message).toMatch(/^the journal is full \(\d+ bytes\)$/);
    expect(logged.at(-1)).toBe('the journal takes nothing: what is decided is not kept');
    await replay();
    expect(journal.refusing).toBeNull();
    expect(await journal.record(aRequest(3), full)).toMatchObject({ ok: true });
  });

  it('says that neither takes anything until the database takes writes again', async () => {
    await restart({ maximumBytes: 200 });
    logged.length = 0;
    ledger.outage = 'Broken';
    const renew = jest.spyOn(ledger.fences, 'renew');
    renew.mockRejectedValue(new AdapterError({ code: 'ReadOnly', message: 'read-only', retryable: true }));
    for (const seconds of [1, 2]) {
      expect(await journal.record(aRequest(seconds), full)).toMatchObject({ ok: false });
      await replay();
      expect([journal.isInUse, journal.since, journal.reason, journal.refusing]).toEqual([
        false,
        expect.any(String),
        'read-only',
        { since: expect.any(String), message: expect.stringContaining('the journal is full') },
      ]);
    }
    renew.mockRestore();
    ledger.outage = null;
    await replay();
    expect([journal.since, journal.refusing]).toEqual([null, null]);
    expect(logged).toEqual([
      expect.stringContaining('the database did not take what was decided'),
      'the journal takes nothing: what is decided is not kept',
      'the database takes entries again; not all that was decided meanwhile could be kept',
    ]);
  });

  it.each([
    { name: 'this release', first: /^$/ },
    { name: 'a release before', first: /^\S+ \{"number":0,.*\n/m },
  ])('of $name has its first record named where that one is damaged', async ({ first }) => {
    for (const seconds of [1, 2]) await journal.record(aRequest(seconds), full);
    await journal.close();
    const content = await readFile(file(), 'utf8');
    await writeFile(file(), content.replace(first, '').replace('"number":1,', '"number":9,'));
    journal = await start();
    expect(times()).toEqual([timeAfter(2)]);
    expect(logged).toContain('records of the journal are damaged, and lost');
  });

  it('puts the journal of another ledger aside, and records none of it', async () => {
    await journal.record(aRequest(1), full);
    ledgerId = 'b'.repeat(32);
    await restart();
    expect(ledger.entriesInOrder).toEqual([]);
    expect(logged.at(-1)).toMatch(/is of another ledger \(a{32}\); it was put aside as .*\.other-\d+$/);
    await journal.record(aRequest(2), full);
    await restart();
    expect(times()).toEqual([timeAfter(2)]);
  });

  it('puts a file aside that is no journal', async () => {
    await journal.close();
    await writeFile(file(), 'something else entirely\n');
    await restart();
    expect(logged.at(-1)).toContain('is no journal any more; it was put aside as');
    expect(await journal.record(aRequest(1), full)).toMatchObject({ ok: true });
  });

  it('ends with its process, and keeps what it has for the next', async () => {
    await journal.record(aRequest(1), full);
    await journal.close();
    expect(await journal.record(aRequest(2), full)).toMatchObject({ ok: false });
    await restart();
    expect(times()).toEqual([timeAfter(1)]);
  });
});
