import pg from 'pg';
import { defaultShardCount, shardOf } from '#coordination';
import type { ShopWorld } from './shop-world.ts';

/** What a run that failed is understood by: who holds what by the database and by the Leases, and what is unresolved. */
export async function describeScopes(
  url: string,
  { simulator }: ShopWorld,
  targets: readonly string[],
): Promise<readonly string[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const fences = await client.query<object>(
      `SELECT scope, epoch, holder, extract(epoch FROM clock_timestamp()) * 1000 - renewed_at AS age
        FROM ledger_epoch ORDER BY scope`,
    );
    const intents = await client.query<object>('SELECT stream, seq FROM pending_intent ORDER BY stream');
    const leases = simulator.objects.list({
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      namespace: 'plimsoll-system',
    });
    const shards = targets.map((name) => ({
      name,
      shard: shardOf({ namespace: 'shop', name }, defaultShardCount),
    }));
    return [
      ...shards.map((each) => `target ${JSON.stringify(each)}`),
      ...fences.rows.map((row) => `fence ${JSON.stringify(row)}`),
      ...intents.rows.map((row) => `pending ${JSON.stringify(row)}`),
      ...leases.map(({ metadata, spec }) => `lease ${metadata.name} ${JSON.stringify(spec)}`),
    ];
  } finally {
    await client.end();
  }
}
