import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type LedgerDatabase, openLedgerDatabase, SqlLossStore } from '#adapter-sql';
import { administrationScope, type Fence, shardScope } from '#ledger';
import { takeFence } from '#ledger/testing';
import { startPostgres, type TestPostgres } from '../../support/postgres.ts';

const metricSource = 'metrics.k8s.io';
const minute = 60_000;

let folder: string;
let server: TestPostgres;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'plimsoll-losses-'));
  server = await startPostgres();
});
afterAll(async () => {
  await server.stop();
  await rm(folder, { recursive: true, force: true });
});

describe.each([
  { name: 'SQLite', urlOf: () => Promise.resolve(`sqlite:${join(folder, 'ledger.db')}`) },
  { name: 'PostgreSQL', urlOf: () => server.createDatabase('losses') },
])('the counts of the fleet brake in $name', ({ urlOf }) => {
  let database: LedgerDatabase;
  let store: SqlLossStore;
  let first: Fence;
  let second: Fence;
  beforeAll(async () => {
    database = await openLedgerDatabase({ url: await urlOf() });
    store = new SqlLossStore(database.sql);
    first = await takeFence(database.fences, { scope: shardScope(1) });
    second = await takeFence(database.fences, { scope: shardScope(2) });
  });
  afterAll(() => database.close());

  const rows = async (maximumAge = minute): Promise<readonly (readonly [string, string, number])[]> =>
    (await store.read(maximumAge)).map((row) => [row.scope, row.metricSource, row.losing]);

  it('are read with their epochs, the largest first, and without those of 0', async () => {
    expect(await store.read(minute)).toEqual([]);
    await store.store([
      { fence: first, metricSource, losing: 3 },
      { fence: first, metricSource: 'prometheus/main', losing: 0 },
      { fence: second, metricSource, losing: 5 },
    ]);
    expect(await store.read(minute)).toEqual([
      { scope: shardScope(2), epoch: second.epoch, metricSource, losing: 5 },
      { scope: shardScope(1), epoch: first.epoch, metricSource, losing: 3 },
    ]);
  });

  it('are replaced by later ones', async () => {
    await store.store([
      { fence: first, metricSource, losing: 0 },
      { fence: second, metricSource, losing: 6 },
    ]);
    expect(await rows()).toEqual([[shardScope(2), metricSource, 6]]);
  });

  it('are too old by the clock of the database', async () => {
    await database.sql.transaction([{ sql: 'UPDATE fleet_brake_loss SET stored_at = stored_at - 30000' }]);
    expect(await rows(29_000)).toEqual([]);
    expect(await rows()).toHaveLength(1);
    await database.sql.transaction([{ sql: 'UPDATE fleet_brake_loss SET stored_at = stored_at - 86400000' }]);
    await store.store([{ fence: second, metricSource: 'other', losing: 1 }]);
    const kept = await database.sql.query({ sql: 'SELECT scope, metric_source FROM fleet_brake_loss' });
    expect(kept).toContainEqual({ scope: shardScope(2), metric_source: 'other' });
    expect(kept.filter(({ scope }) => scope === shardScope(2))).toHaveLength(1);
  });

  it('are refused under a fence that another process has taken over, all of them', async () => {
    const fence = await takeFence(database.fences, { scope: administrationScope });
    await database.sql.transaction([
      {
        sql: "UPDATE ledger_epoch SET epoch = epoch + 1, holder = 'another' WHERE scope = ?",
        parameters: [shardScope(1)],
      },
    ]);
    const before = await rows();
    await expect(
      store.store([
        { fence, metricSource, losing: 1 },
        { fence: first, metricSource, losing: 9 },
      ]),
    ).rejects.toMatchObject({ code: 'Fenced' });
    expect(await rows()).toEqual(before);
  });
});
