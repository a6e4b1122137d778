import { Gauge, type Registry } from 'prom-client';
import { shardScope } from '#ledger';
import type { Holdings } from '../coordination/holdings/holdings.ts';
import type { Leadership } from '../coordination/shards/leadership.ts';
import type { Shards } from '../coordination/shards/shards.ts';

/** What the gauges are read from. */
export interface ShardMetricsSource {
  readonly shards: Pick<Shards, 'all'>;
  readonly holdings: Pick<Holdings, 'holds' | 'heldSince' | 'mayWrite' | 'isLeader'>;
  readonly leadership: Pick<Leadership, 'mode' | 'takesShards'>;
}

/** Registers what Prometheus sees of what this process holds. */
export function registerShardMetrics(
  registry: Registry,
  { shards, holdings, leadership }: ShardMetricsSource,
): void {
  const registers = [registry];
  const perShard = (name: string, help: string, valueOf: (scope: string) => number | null): void => {
    new Gauge({
      name,
      help,
      labelNames: ['shard'],
      registers,
      collect() {
        this.reset();
        for (const shard of shards.all) {
          const value = valueOf(shardScope(shard));
          if (value !== null) this.set({ shard: String(shard) }, value);
        }
      },
    });
  };
  perShard('plimsoll_shard_held', 'Whether this process holds the shard.', (scope) =>
    Number(holdings.holds(scope)),
  );
  perShard(
    'plimsoll_shard_held_since_timestamp_seconds',
    'Since when this process has held the shard.',
    (scope) => secondsOf(holdings.heldSince(scope)),
  );
  perShard(
    'plimsoll_shard_writable',
    'Whether this process has renewed its right to write for the shard in time.',
    (scope) => Number(holdings.mayWrite(scope)),
  );
  new Gauge({
    name: 'plimsoll_process_mode',
    help: 'Whether this process shares the policies with other replicas, or carries all of them out.',
    labelNames: ['mode'],
    registers,
    collect() {
      for (const mode of ['OneProcess', 'Replicas'] as const)
        this.set({ mode }, Number(leadership.mode === mode));
    },
  });
  new Gauge({
    name: 'plimsoll_shard_leader',
    help: 'Whether this process is the leader.',
    registers,
    collect() {
      this.set(Number(holdings.isLeader));
    },
  });
  new Gauge({
    name: 'plimsoll_replica_takes_shards',
    help: 'Whether this process takes its share of the shards; not where it could not begin, or keep, its own.',
    registers,
    collect() {
      this.set(Number(leadership.takesShards()));
    },
  });
}

/** Since 1970, of an RFC 3339 time. */
function secondsOf(time: string | null): number | null {
  return time === null ? null : Date.parse(time) / 1_000;
}
