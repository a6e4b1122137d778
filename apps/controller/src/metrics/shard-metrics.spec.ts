import { expect, it } from '@jest/globals';
import { Registry } from 'prom-client';
import { registerShardMetrics } from './shard-metrics.ts';

it('says which shards this process holds, since when, and for which it may write', async () => {
  const registry = new Registry();
  const held = new Map([['shard/1', '2026-11-24T12:00:00.500Z']]);
  registerShardMetrics(registry, {
    shards: { all: [0, 1] },
    holdings: {
      holds: (scope) => held.has(scope),
      heldSince: (scope) => held.get(scope) ?? null,
      mayWrite: (scope) => scope === 'shard/1',
      isLeader: true,
    },
    leadership: { mode: 'Replicas', takesShards: () => held.size > 0 },
  });
  const text = async (): Promise<readonly string[]> =>
    (await registry.metrics()).split('\n').filter((line) => !line.startsWith('#') && line !== '');
  expect(await text()).toEqual([
    'plimsoll_shard_held{shard="0"} 0',
    'plimsoll_shard_held{shard="1"} 1',
    'plimsoll_shard_held_since_timestamp_seconds{shard="1"} 1795521600.5',
    'plimsoll_shard_writable{shard="0"} 0',
    'plimsoll_shard_writable{shard="1"} 1',
    'plimsoll_process_mode{mode="OneProcess"} 0',
    'plimsoll_process_mode{mode="Replicas"} 1',
    'plimsoll_shard_leader 1',
    'plimsoll_replica_takes_shards 1',
  ]);
  held.clear();
  expect(await text()).toContain('plimsoll_replica_takes_shards 0');
  expect(await text()).not.toContainEqual(expect.stringContaining('since'));
});
