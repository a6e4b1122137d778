import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { type LedgerDatabase, openLedgerDatabase, SqlSeriesStore } from '#adapter-sql';
import { encodeSeriesChunk, type Fence, fenceExpirySeconds, type RecordedChunk, shardScope } from '#ledger';
import { takeFence } from '#ledger/testing';
import { migratedAhead } from '../../support/migrated-ahead.ts';
import { startPostgres, type TestPostgres } from '../../support/postgres.ts';
import { ageFences } from './empty-ledger-tables.ts';

jest.setTimeout(60_000);

const hour = 3_600_000;
const noon = Date.parse('2026-11-20T12:00:00.000Z');
const web = { namespace: 'shop', name: 'web' };

let folder: string;
let server: TestPostgres;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'plimsoll-series-'));
  server = await startPostgres();
});
afterAll(async () => {
  await server.stop();
  await rm(folder, { recursive: true, force: true });
});

/** Rows from a time on, 15 s apart; the second column counts on from a number. */
function aChunk({ start = noon, rows = 16, from = 0, policy = web, metrics = 0 }): RecordedChunk {
  const layout = {
    metrics: Array.from({ length: metrics }, () => ({ type: 'External', name: 'queue', containers: [] })),
  };
  const width = 3 + 6 * metrics;
  const columns = Array.from({ length: width }, (_, column) =>
    Float64Array.from({ length: rows }, (__, row) => (column === 0 ? start + row * 15_000 : from + row)),
  );
  return {
    policy,
    start,
    end: start + (rows - 1) * 15_000,
    rows,
    bytes: encodeSeriesChunk({ layout, rows, columns }),
  };
}

async function readAll(store: SqlSeriesStore, { policy = web, from = 0, until = noon + 100 * hour } = {}) {
  const chunks: { readonly counts: readonly number[]; readonly metrics: number }[] = [];
  for await (const { columns, layout } of store.read({ policy, from, until }))
    chunks.push({ counts: [...columns[1]!], metrics: layout.metrics.length });
  return chunks;
}

const countFrom = (from: number, rows: number) => Array.from({ length: rows }, (_, row) => from + row);

describe.each(['sqlite', 'postgres'] as const)('metric series in %s', (dialect) => {
  let database: LedgerDatabase;
  let store: SqlSeriesStore;
  let fence: Fence;
  let count = 0;

  const open = async () => {
    count += 1;
    const url =
      dialect === 'sqlite'
        ? `sqlite:${join(folder, `${count}.db`)}`
        : await server.createDatabase(`series${count}`);
    database = await openLedgerDatabase({ url: await migratedAhead(url) });
    store = new SqlSeriesStore(database.sql);
    fence = await takeFence(database.fences, { scope: shardScope(0) });
  };
  const stored = async () => {
    const [row] = await database.sql.query({
      sql: 'SELECT COUNT(*) AS chunks, COALESCE(SUM(is_part), 0) AS parts FROM metric_series',
    });
    return [Number(row?.['chunks']), Number(row?.['parts'])];
  };

  it('are read by policy and period, in their order, to the row', async () => {
    await open();
    const later = aChunk({ start: noon + 240_000, from: 16 });
    await store.store(
      [later, aChunk({}), aChunk({ policy: { namespace: 'shop', name: 'api' }, from: 90 })],
      [fence],
    );
    expect(await readAll(store)).toEqual([
      { counts: countFrom(0, 16), metrics: 0 },
      { counts: countFrom(16, 16), metrics: 0 },
    ]);
    const period = { from: noon + 15_001, until: noon + 255_000 };
    expect((await readAll(store, period)).flatMap(({ counts }) => counts)).toEqual(countFrom(2, 15));
    expect(await readAll(store, { from: noon + hour, until: noon + 2 * hour })).toEqual([]);
    await database.close();
  });

  it('become one chunk per hour when it is over, and one per run of the same columns', async () => {
    await open();
    const parts = Array.from({ length: 30 }, (_, part) =>
      aChunk({ start: noon + part * 240_000, from: part * 16, metrics: part < 20 ? 0 : 1 }),
    );
    await store.store(parts, [fence]);
    const before = await readAll(store);
    expect(await stored()).toEqual([30, 30]);
    expect(await store.joinHours(noon + hour + 1, 8, fence)).toBe(1);
    expect(await store.joinHours(noon + hour + 1, 8, fence)).toBe(0);
    expect(await stored()).toEqual([16, 15]);
    expect(await store.joinHours(noon + 2 * hour, 8, fence)).toBe(1);
    expect(await stored()).toEqual([3, 0]);
    const after = await readAll(store);
    expect(after.map(({ metrics }) => metrics)).toEqual([0, 0, 1]);
    expect(after.flatMap(({ counts }) => counts)).toEqual(before.flatMap(({ counts }) => counts));
    await database.close();
  });

  it('are stored once, however often they are sent', async () => {
    await open();
    await store.store([aChunk({})], [fence]);
    await store.store([aChunk({}), aChunk({ start: noon + 240_000 })], [fence]);
    expect(await stored()).toEqual([2, 2]);
    await database.close();
  });

  it('keep a chunk that cannot be read, which keeps no other from being joined, and say which it is', async () => {
    await open();
    const damaged = { ...aChunk({ start: noon + 240_000 }), bytes: new Uint8Array([1, 2, 3]) };
    await store.store([aChunk({}), damaged, aChunk({ start: noon + 480_000 })], [fence]);
    await store.joinHours(noon + 2 * hour, 8, fence);
    expect(await stored()).toEqual([2, 0]);
    await expect(readAll(store)).rejects.toMatchObject({
      code: 'DatabaseCorrupt',
      message: `the metric series of policy:shop/web at ${noon + 240_000} cannot be read`,
    });
    await database.close();
  });

  it('are read for many policies with one statement, of each the counts alone', async () => {
    await open();
    const api = { namespace: 'shop', name: 'api' };
    const damaged = { ...aChunk({ start: noon + 480_000 }), bytes: new Uint8Array([1, 2, 3]) };
    await store.store(
      [
        aChunk({ metrics: 2 }),
        aChunk({ start: noon + 240_000, from: 16 }),
        damaged,
        aChunk({ start: noon - 2 * hour }),
        aChunk({ policy: api, from: 90, rows: 2 }),
        aChunk({ policy: { namespace: 'bank', name: 'web' } }),
      ],
      [fence],
    );
    await store.joinHours(noon + 2 * hour, 1, fence);
    const statements = jest.spyOn(database.sql, 'query');
    const found = await store.readCounts({ policies: [web, api], from: noon, until: noon + hour });
    expect(statements).toHaveBeenCalledTimes(1);
    expect(found.map(({ policy, specReplicas }) => [policy.name, ...specReplicas])).toEqual([
      ['api', 90, 91],
      ['web', ...countFrom(0, 16)],
      ['web', ...countFrom(16, 16)],
    ]);
    expect(found[0]!.times).toEqual(Float64Array.of(noon, noon + 15_000));
    expect(await store.readCounts({ policies: [], from: noon, until: noon + hour })).toEqual([]);
    await database.close();
  });

  it('are deleted by age, a page of policies at a time', async () => {
    await open();
    const policies = countFrom(100, 150).map((number) => ({ namespace: 'shop', name: `p${number}` }));
    await store.store(
      policies.flatMap((policy) => [aChunk({ policy }), aChunk({ policy, start: noon + hour })]),
      [fence],
    );
    const first = await store.deleteBefore(noon + hour, '', fence);
    expect(first).toEqual({ deleted: 100, after: 'policy:shop/p199' });
    expect(await store.deleteBefore(noon + hour, 'policy:shop/p199', fence)).toEqual({
      deleted: 50,
      after: null,
    });
    expect(await stored()).toEqual([150, 150]);
    await database.close();
  });

  it('are not written by a process that lost its fence', async () => {
    await open();
    await store.store([aChunk({})], [fence]);
    await ageFences(database.sql, fenceExpirySeconds);
    await takeFence(database.fences, { scope: shardScope(0), holder: 'successor' });
    const isFenced = { code: 'Fenced' };
    await expect(store.store([aChunk({ start: noon + hour })], [fence])).rejects.toMatchObject(isFenced);
    await expect(store.joinHours(noon + 2 * hour, 8, fence)).rejects.toMatchObject(isFenced);
    await expect(store.deleteBefore(noon + 2 * hour, '', fence)).rejects.toMatchObject(isFenced);
    expect(await stored()).toEqual([1, 1]);
    await database.close();
  });
});
