import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import pg from 'pg';
import { defaultShardCount, shardOf } from '#coordination';
import type { JsonObject } from '#kernel';
import { startPostgres, type TestPostgres } from '../support/postgres.ts';
import { type ControllerProcess, startControllerProcess } from './support/controller-process.ts';
import { policyText, type ShopWorld, startShopWorld } from './support/shop-world.ts';
import { soon } from './support/soon.ts';

jest.setTimeout(180_000);

/** One per shard, so that each of two replicas has eight: fewer than close the brake. */
const names = Array.from({ length: defaultShardCount }, (_, shard) => nameOfShard(shard));

function nameOfShard(shard: number): string {
  for (let number = 0; ; number += 1) {
    const name = `app-${number}`;
    if (shardOf({ namespace: 'shop', name }, defaultShardCount) === shard) return name;
  }
}

const policyOf = (name: string) =>
  `${policyText.replaceAll('checkout', name)}  behavior: {scaleDown: {stabilizationWindowSeconds: 0}}\n`;

/** Two processes, of which the leader is killed just before all load seems to be gone. */
describe('the fleet brake of replicas', () => {
  let server: TestPostgres;
  let world: ShopWorld;
  let client: pg.Client;
  let replicas: readonly ControllerProcess[];

  beforeAll(async () => {
    server = await startPostgres();
    world = await startShopWorld();
    const { objects } = world.simulator;
    objects.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'plimsoll-system' } });
    const { spec } = objects.find({ ...deployment, name: 'checkout' })!;
    for (const name of names) {
      objects.create({
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata: { name, namespace: 'shop' },
        spec: JSON.parse(
          JSON.stringify({ ...(spec as JsonObject), replicas: 8 }).replaceAll('"checkout"', `"${name}"`),
        ) as JsonObject,
      });
    }
    use(2_400);
    world.simulator.runPending();
    world.repository.commit(
      'Scale the shop',
      Object.fromEntries(names.map((name) => [`shop/${name}.yaml`, policyOf(name)])),
    );
    const url = await server.createDatabase('brake');
    replicas = [await start('first', url), await start('second', url)];
    client = new pg.Client({ connectionString: url });
    await client.connect();
  });
  afterAll(async () => {
    await Promise.all(replicas.map((replica) => replica.kill()));
    await client.end();
    await world.stop();
    await server.stop();
  });

  async function start(name: string, url: string): Promise<ControllerProcess> {
    const folder = join(world.folder, name);
    await mkdir(folder);
    const coordination = {
      namespace: 'plimsoll-system',
      leaseDurationSeconds: 4,
      renewDeadlineSeconds: 2.8,
      retryPeriodSeconds: 0.5,
      advertisedUrl: 'http://127.0.0.1:1',
    };
    const configuration = {
      ...world.configuration,
      dataFolder: join(folder, 'data'),
      database: { url },
      coordination,
    };
    return startControllerProcess(folder, configuration, { until: 'Listening' });
  }

  const deployment = { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'shop' };

  function use(millicores: number): void {
    for (const name of names) {
      world.simulator.load.setWorkload(
        { namespace: 'shop', kind: 'Deployment', name },
        { app: { cpu: { kind: 'Constant', value: millicores }, share: 'Total' } },
      );
    }
  }

  const count = async (sql: string): Promise<number> => {
    const { rows } = await client.query<{ readonly count: string }>(sql);
    return Number(rows[0]?.count ?? 0);
  };
  const counts = (): readonly unknown[] =>
    names.map(
      (name) => (world.simulator.objects.find({ ...deployment, name })?.['spec'] as JsonObject)['replicas'],
    );

  it('closes, and nothing is lost, also where the leader is killed before it has looked', async () => {
    await soon('an even share', async () => {
      const held = await count(
        "SELECT count(DISTINCT holder) AS count FROM ledger_epoch WHERE scope LIKE 'shard/%' HAVING count(holder) = 16",
      );
      return held === 2 || undefined;
    });
    await soon('a decision on each', async () => {
      const decided = await count(
        'SELECT count(*) AS count FROM policy_state WHERE last_decision LIKE \'%"desiredReplicas":8%\'',
      );
      return decided === names.length || undefined;
    });
    const leader = replicas.find(({ log }) =>
      log.some(({ msg, lease }) => msg === 'took a scope' && lease === 'plimsoll-leader'),
    );
    expect(leader).toBeDefined();
    await leader?.kill();
    use(0);
    await soon(
      'the suspension',
      async () => (await count('SELECT count(*) AS count FROM intervention')) === 1 || undefined,
    );
    await soon('a decision on each that it stops', async () => {
      const stopped = await count(
        "SELECT count(*) AS count FROM policy_state WHERE last_decision LIKE '%by fleet-brake until%'",
      );
      return stopped === names.length || undefined;
    });
    expect(counts()).toEqual(names.map(() => 8));
    expect(await count("SELECT count(*) AS count FROM ledger_entry WHERE kind = 'ScalingEvent'")).toBe(0);
  });
});
