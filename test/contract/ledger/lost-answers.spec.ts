import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  type LedgerDatabase,
  openLedgerDatabase,
  type SqlDatabase,
  SqlRevisionStore,
  type SqlStatement,
} from '#adapter-sql';
import {
  entryId,
  type Fence,
  fenceExpirySeconds,
  HeldFences,
  type LedgerEntry,
  LedgerWriter,
  policyStream,
  sourceScope,
} from '#ledger';
import { takeFence } from '#ledger/testing';
import { eventually } from '../../control-plane/poll.ts';
import { anEventDraft, anIntentDraft, appended, checkout, timeAfter } from '../../support/ledger-builders.ts';
import { startPostgres, type TestPostgres } from '../../support/postgres.ts';
import { type PostgresProxy, startPostgresProxy } from '../../support/postgres-proxy.ts';
import { ageFences, emptyLedger } from './empty-ledger-tables.ts';

const stream = policyStream(checkout);

async function entriesOf({ ledger }: LedgerDatabase): Promise<readonly LedgerEntry[]> {
  return ledger.streamEntries({ stream, after: 0n, limit: 100 });
}

describe('an append whose answer is lost', () => {
  let server: TestPostgres;
  let proxy: PostgresProxy;
  let database: LedgerDatabase;
  let writer: LedgerWriter;
  let fence: Fence;
  let retries = 0;
  let onRetry: () => void;
  /** Another process takes the fence over while the answer is lost. */
  let takesOver: boolean;

  beforeAll(async () => {
    server = await startPostgres();
    const url = new URL(await server.createDatabase('lost_answers'));
    proxy = await startPostgresProxy(server);
    url.port = `${proxy.port}`;
    database = await openLedgerDatabase({ url: url.href });
  });

  beforeEach(async () => {
    await emptyLedger(database);
    retries = 0;
    onRetry = () => undefined;
    takesOver = false;
    const beforeRetry = async (): Promise<boolean> => {
      retries += 1;
      onRetry();
      if (takesOver) await takeOver();
      proxy.cutOff(!takesOver && retries < 3);
      return true;
    };
    fence = await takeFence(database.fences);
    writer = new LedgerWriter({ port: database.ledger, fence, cluster: 'test', beforeRetry });
  });

  afterAll(async () => {
    await database.close();
    await proxy.stop();
    await server.stop();
  });

  const takeOver = async (scope = fence.scope): Promise<void> => {
    await ageFences(database.sql, fenceExpirySeconds);
    await takeFence(database.fences, { scope, holder: 'successor' });
  };

  it.each(['LoseCommitAnswer', 'LoseCommit'] as const)(
    'is stored once, with its outcome known, after %s and an outage',
    async (fault) => {
      const [intent] = appended(await writer.append({ drafts: [anIntentDraft()] }));
      proxy.faults.push(fault);
      const event = anEventDraft({ intent: entryId(intent!) });
      const [stored] = appended(await writer.append({ drafts: [event] }));
      expect(retries).toBe(3);
      expect((await entriesOf(database)).map(({ kind, hash }) => [kind, hash])).toEqual([
        ['ScalingIntent', intent!.hash],
        ['ScalingEvent', stored!.hash],
      ]);
    },
  );

  it('is stored once under several fences', async () => {
    const both = writer.under([await takeFence(database.fences, { scope: 'shard/9' }), fence]);
    proxy.faults.push('LoseCommitAnswer');
    appended(await both.append({ drafts: [anEventDraft({ to: 5 })] }));
    appended(await both.append({ drafts: [anEventDraft({ from: 5, to: 6 })] }));
    expect(await entriesOf(database)).toHaveLength(2);
  });

  it.each(['LoseCommitAnswer', 'LoseCommit'] as const)(
    'is told from one that was not stored where its fence was taken over meanwhile, after %s',
    async (fault) => {
      takesOver = true;
      proxy.faults.push(fault);
      const answer = await writer.append({ drafts: [anEventDraft({ to: 5 })] });
      expect(answer).toMatchObject(
        fault === 'LoseCommitAnswer' ? { ok: true } : { ok: false, error: { code: 'Fenced' } },
      );
      expect(await entriesOf(database)).toMatchObject(answer.ok ? [{ hash: answer.value[0]!.hash }] : []);
      expect(await writer.append({ drafts: [anEventDraft({ to: 6 })] })).toMatchObject({
        error: { code: 'Fenced' },
      });
    },
  );

  it('holds up no request that has not been sent: that one fails, and is not stored', async () => {
    proxy.faults.push('LoseCommitAnswer');
    let second: Promise<unknown> = Promise.resolve();
    onRetry = () => {
      if (retries === 1) second = writer.append({ drafts: [anEventDraft({ to: 7 })] });
      void second.catch(() => undefined);
    };
    appended(await writer.append({ drafts: [anEventDraft({ to: 5 })] }));
    await expect(second).rejects.toMatchObject({ code: 'ConnectionFailed' });
    expect(await entriesOf(database)).toHaveLength(1);
  });

  it('says of no request that has not been sent that its outcome is unknown, also where the next answer is lost', async () => {
    proxy.faults.push('LoseCommit', 'LoseCommit');
    let second: Promise<unknown> = Promise.resolve();
    onRetry = () => {
      if (retries === 1) second = writer.append({ drafts: [anEventDraft({ to: 7 })] });
      void second.catch(() => undefined);
      // The database is reached at once again.
      retries = 3;
    };
    appended(await writer.append({ drafts: [anEventDraft({ to: 5 })] }));
    await expect(second).rejects.toMatchObject({ code: 'ConnectionFailed' });
    expect(await entriesOf(database)).toHaveLength(1);
  });

  it('is reported as unknown where the process ends first', async () => {
    proxy.faults.push('LoseCommitAnswer');
    const ending = new LedgerWriter({ port: database.ledger, fence, cluster: 'test' });
    await expect(ending.append({ drafts: [anEventDraft({})] })).rejects.toMatchObject({
      code: 'OutcomeUnknown',
    });
    expect(await entriesOf(database)).toHaveLength(1);
  });

  it.each(['LoseCommitAnswer', 'LoseCommit'] as const)(
    'of a saved revision changes nothing, after %s',
    async (fault) => {
      const source = `policies-${fault}`;
      const held = new HeldFences([await takeFence(database.fences, { scope: sourceScope(source) })]);
      const store = new SqlRevisionStore(database.sql, held);
      const commit = { hash: 'a1', author: 'Ada', subject: 'one', time: timeAfter(0) };
      const state = { source, configuration: {}, commit, tenants: {}, judged: null, brakes: {} };
      const time = timeAfter(1);
      const revision = {
        source,
        commit,
        outcome: 'active',
        message: '',
        fetchedAt: time,
        finishedAt: time,
        details: {},
      };
      await store.save({ state, revision: null, put: [], end: [], time });
      proxy.faults.push(fault);
      await store.save({ state: { ...state, tenants: { '': 'a1' } }, revision, put: [], end: [], time });
      expect(await store.listRevisions(source, 10)).toEqual([revision]);
      expect(await store.listSources()).toContainEqual({ ...state, tenants: { '': 'a1' } });
    },
  );

  it('of a saved revision is reported as unknown where its source was taken over meanwhile', async () => {
    const source = 'policies-taken-over';
    const scope = sourceScope(source);
    const held = new HeldFences([await takeFence(database.fences, { scope })]);
    const { sql } = database;
    const transaction: SqlDatabase['transaction'] = async (statements) => {
      try {
        return await sql.transaction(statements);
      } catch (error) {
        await takeOver(scope);
        throw error;
      }
    };
    const store = new SqlRevisionStore(
      { dialect: sql.dialect, query: (query) => sql.query(query), transaction },
      held,
    );
    const commit = { hash: 'a1', author: 'Ada', subject: 'one', time: timeAfter(0) };
    const state = { source, configuration: {}, commit, tenants: {}, judged: null, brakes: {} };
    const change = { state, revision: null, put: [], end: [], time: timeAfter(1) };
    proxy.faults.push('LoseCommitAnswer');
    await expect(store.save(change)).rejects.toMatchObject({ code: 'OutcomeUnknown' });
    expect(await store.listSources()).toContainEqual(state);
    await expect(store.save(change)).rejects.toMatchObject({ code: 'Fenced' });
  });

  it('ends no process where the connection breaks between two queries', async () => {
    proxy.faults.push('EndAfterBegin');
    const read = { sql: 'SELECT 1::int AS one' };
    await expect(database.sql.transaction([read])).rejects.toMatchObject({ code: 'ConnectionFailed' });
    expect(await database.sql.query(read)).toEqual([{ one: 1n }]);
  });
});

describe('a COMMIT to PostgreSQL whose answer comes too late', () => {
  let server: TestPostgres;
  let proxy: PostgresProxy;
  let database: LedgerDatabase;

  beforeAll(async () => {
    server = await startPostgres();
    const url = new URL(await server.createDatabase('late_answers'));
    proxy = await startPostgresProxy(server);
    url.port = `${proxy.port}`;
    // Long enough for every statement on a busy machine; the answer is late by more.
    database = await openLedgerDatabase({ url: url.href, timeoutMilliseconds: 3_000 });
  });

  afterAll(async () => {
    await database.close();
    await proxy.stop();
    await server.stop();
  });

  it('stores the append once, and the next one behind it', async () => {
    const retries: unknown[] = [];
    const beforeRetry = (): Promise<boolean> => {
      retries.push(proxy.faults.length);
      proxy.deliverLate();
      return Promise.resolve(true);
    };
    const fence = await takeFence(database.fences);
    const writer = new LedgerWriter({ port: database.ledger, fence, cluster: 'test', beforeRetry });
    proxy.faults.push('DelayCommitAnswer');
    const [first] = appended(await writer.append({ drafts: [anEventDraft({ to: 5 })] }));
    const [second] = appended(await writer.append({ drafts: [anEventDraft({ to: 6 })] }));
    expect(retries).toEqual([0]);
    expect((await entriesOf(database)).map(({ seq, hash }) => [seq, hash])).toEqual([
      [1n, first!.hash],
      [2n, second!.hash],
    ]);
  });
});

describe('an append whose answer comes too late', () => {
  let folder = '';
  let database: LedgerDatabase;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'plimsoll-late-'));
    database = await openLedgerDatabase({
      url: `sqlite:${join(folder, 'ledger.db')}`,
      timeoutMilliseconds: 1_000,
    });
  });

  afterAll(async () => {
    await database.close();
    await rm(folder, { recursive: true });
  });

  it('is stored once on a disk that stalls', async () => {
    // On a busy machine, these too may come too late.
    const inTime = <T>(description: string, probe: () => Promise<T>): Promise<T> =>
      eventually({ description, probe, timeoutMilliseconds: 30_000 });
    const fence = await inTime('a fence', () => takeFence(database.fences));
    const beforeRetry = (): Promise<boolean> => Promise.resolve(true);
    const writer = new LedgerWriter({ port: database.ledger, fence, cluster: 'test', beforeRetry });
    const stalled = database.sql.transaction([slowStatement]);
    const answer = writer.append({ drafts: [anEventDraft({})] });
    await expect(stalled).rejects.toMatchObject({ code: 'OutcomeUnknown', retryable: true });
    appended(await answer);
    expect(await inTime('the entries', () => entriesOf(database))).toHaveLength(1);
  });
});

/** Keeps SQLite's writer busy for several times its timeout. */
const slowStatement: SqlStatement = {
  sql: `WITH RECURSIVE number (value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM number WHERE value < 40000000)
    SELECT max(value) FROM number`,
};
