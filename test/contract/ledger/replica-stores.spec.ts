import { beforeAll, expect, it } from '@jest/globals';
import {
  type LedgerDatabase,
  SqlLookStore,
  SqlLossStore,
  SqlScopeHolders,
  SqlShardRequests,
} from '#adapter-sql';
import type { LastSync } from '#git-sync';
import { administrationScope, type Fence, shardScope, sourceScope } from '#ledger';
import { takeFence } from '#ledger/testing';
import { onBothDatabases } from './on-both-databases.ts';

const metricSource = 'metrics.k8s.io';
const minute = 60_000;
const unlooked = { lookedMilliseconds: 0, lookedUntil: 0 };

onBothDatabases('what replicas tell one another', (opened) => {
  let database: LedgerDatabase;
  let store: SqlLossStore;
  let first: Fence;
  let second: Fence;
  beforeAll(async () => {
    database = opened();
    store = new SqlLossStore(database.sql);
    first = await takeFence(database.fences, { scope: shardScope(1) });
    second = await takeFence(database.fences, { scope: shardScope(2) });
  });

  const rows = async (maximumAge = minute): Promise<readonly (readonly [string, string, number])[]> =>
    (await store.read(maximumAge)).counts.map((row) => [row.scope, row.metricSource, row.losing]);

  it('counts of the fleet brake are read with their epochs and looks, the largest first', async () => {
    const empty = await store.read(minute);
    expect(empty).toEqual({ counts: [], time: expect.any(Number) });
    const look = { lookedMilliseconds: 90_000, lookedUntil: empty.time - 250 };
    await store.store([
      { fence: first, metricSource, losing: 3, ...look },
      { fence: first, metricSource: 'prometheus/main', losing: 0, ...unlooked },
      { fence: second, metricSource, losing: 5, ...unlooked },
    ]);
    const { counts, time } = await store.read(minute);
    expect(counts).toEqual([
      { scope: shardScope(2), epoch: second.epoch, metricSource, losing: 5, ...unlooked },
      { scope: shardScope(1), epoch: first.epoch, metricSource, losing: 3, ...look },
      { scope: shardScope(1), epoch: first.epoch, metricSource: 'prometheus/main', losing: 0, ...unlooked },
    ]);
    expect(time).toBeGreaterThanOrEqual(empty.time);
    expect(time).toBeLessThan(empty.time + minute);
  });

  it('counts of a build that says nothing of its looks are of none', async () => {
    await database.sql.transaction([
      {
        sql: "INSERT INTO fleet_brake_loss (scope, metric_source, losing, epoch, stored_at) SELECT 'shard/6', metric_source, losing, epoch, stored_at FROM fleet_brake_loss WHERE losing = 5",
      },
    ]);
    const { counts } = await store.read(minute);
    expect(counts).toContainEqual({
      scope: shardScope(6),
      epoch: second.epoch,
      metricSource,
      losing: 5,
      ...unlooked,
    });
    await database.sql.transaction([{ sql: "DELETE FROM fleet_brake_loss WHERE scope = 'shard/6'" }]);
  });

  it('counts are replaced by later ones', async () => {
    await store.store([
      { fence: first, metricSource, losing: 0, ...unlooked },
      { fence: second, metricSource, losing: 6, ...unlooked },
    ]);
    expect(await rows()).toEqual([
      [shardScope(2), metricSource, 6],
      [shardScope(1), metricSource, 0],
      [shardScope(1), 'prometheus/main', 0],
    ]);
  });

  it('counts are too old by the clock of the database', async () => {
    await database.sql.transaction([{ sql: 'UPDATE fleet_brake_loss SET stored_at = stored_at - 30000' }]);
    expect(await rows(29_000)).toEqual([]);
    expect(await rows()).toHaveLength(3);
    await database.sql.transaction([{ sql: 'UPDATE fleet_brake_loss SET stored_at = stored_at - 86400000' }]);
    await store.store([{ fence: second, metricSource: 'other', losing: 1, ...unlooked }]);
    const kept = await database.sql.query({ sql: 'SELECT scope, metric_source FROM fleet_brake_loss' });
    expect(kept).toContainEqual({ scope: shardScope(2), metric_source: 'other' });
    expect(kept.filter(({ scope }) => scope === shardScope(2))).toHaveLength(1);
  });

  it('counts are refused under a fence that another process has taken over, all of them', async () => {
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
        { fence, metricSource, losing: 1, ...unlooked },
        { fence: first, metricSource, losing: 9, ...unlooked },
      ]),
    ).rejects.toMatchObject({ code: 'Fenced' });
    expect(await rows()).toEqual(before);
  });

  it('a scope whose fence was not renewed in time has no holder any more', async () => {
    const { holder } = await takeFence(database.fences, { scope: shardScope(7) });
    const holders = new SqlScopeHolders(database.sql);
    const holderOfSeven = async () => (await holders.list()).find(({ scope }) => scope === shardScope(7));
    expect(await holderOfSeven()).toMatchObject({ holder, since: expect.any(String) });
    const sql = 'UPDATE ledger_epoch SET renewed_at = renewed_at - 16000 WHERE scope = ?';
    await database.sql.transaction([{ sql, parameters: [shardScope(7)] }]);
    expect(await holderOfSeven()).toMatchObject({ holder: null, since: null, epoch: 1n });
  });

  it('the latest look at each source replaces the one before', async () => {
    const looks = new SqlLookStore(database.sql);
    const fence = await takeFence(database.fences, { scope: sourceScope('policies') });
    const look = (time: string): LastSync => ({
      time,
      outcome: {
        source: 'policies',
        result: 'failed',
        commit: null,
        message: 'no “route”',
        diagnostics: [],
        holds: [],
      },
      staleSince: '2026-11-20T12:00:00.000Z',
    });
    expect(await looks.list()).toEqual(new Map());
    await looks.store('policies', look('2026-11-20T12:01:00.000Z'), fence);
    await looks.store('policies', look('2026-11-20T12:02:00.000Z'), fence);
    expect(await looks.list()).toEqual(new Map([['policies', look('2026-11-20T12:02:00.000Z')]]));
    await expect(
      looks.store('policies', look('2026-11-20T12:03:00.000Z'), { ...fence, epoch: 9n }),
    ).rejects.toMatchObject({ code: 'Fenced' });
  });

  it('requests are answered once, under the fence of their shard, and forgotten when they are over', async () => {
    const requests = new SqlShardRequests(database.sql);
    const leader = await takeFence(database.fences, { scope: administrationScope });
    const asked = ['one', 'two'].map((id) => ({ id, scope: second.scope, request: { of: id } }));
    await requests.ask(asked, leader);
    expect(await requests.unanswered([second.scope, shardScope(7)])).toEqual(asked);
    expect(await requests.unanswered([shardScope(7)])).toEqual([]);
    await requests.answer('one', { done: true }, second);
    await requests.answer('one', { done: false }, second);
    await requests.answer('two', { done: true }, await takeFence(database.fences, { scope: shardScope(7) }));
    expect(await requests.answers(['one', 'two'])).toEqual(new Map([['one', { done: true }]]));
    expect(await requests.unanswered([second.scope])).toEqual(asked.slice(1));
    await database.sql.transaction([{ sql: 'UPDATE shard_request SET asked_at = asked_at - 15000' }]);
    expect(await requests.unanswered([second.scope])).toEqual([]);
    await requests.tell('three', { told: 3 });
    expect(await requests.unanswered([administrationScope])).toEqual([
      { id: 'three', scope: administrationScope, request: { told: 3 } },
    ]);
    await requests.answer('three', null, leader);
    expect(await requests.answers(['three'])).toEqual(new Map([['three', null]]));
    await requests.ask([], leader);
    expect(await requests.answers(['one'])).toEqual(new Map());
  });
});
