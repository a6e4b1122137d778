import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import pg from 'pg';
import { eventually } from '../control-plane/poll.ts';
import { startPostgres, type TestPostgres } from '../support/postgres.ts';
import { Random } from '../support/random.ts';
import { runSeed } from '../support/run-seed.ts';
import { loadEntriesOf } from './support/load-entries.ts';
import { makeReplica, type Replica, shopPlace } from './support/make-replica.ts';
import {
  outcomesOf,
  policyOf,
  recordChanges,
  recordedChanges,
  replicasOf,
  setLoad,
  targets,
} from './support/replica-changes.ts';
import { replicaFaults } from './support/replica-faults.ts';
import { type ShopWorld, startShopWorld } from './support/shop-world.ts';
import { soon } from './support/soon.ts';
import { verifyLedger } from './support/verify-ledger.ts';

/** A night's run: `REPLICA_FAULTS=500 REPLICA_FAULTS_SEED=1 npm run jest -- test/e2e/replicas-under-faults.spec` (hours). */
const rounds = Number(process.env['REPLICA_FAULTS'] ?? 2);
const seed = runSeed('REPLICA_FAULTS_SEED');

jest.setTimeout(120_000 + rounds * 120_000);

/**
 * A replica whose clock is a minute behind takes its predecessor's recommendations for those of its window until their
 * time has come (`maximumFutureSeconds`), and so shrinks nothing for that minute.
 */
const followMilliseconds = 120_000;

describe('two controllers on one PostgreSQL, whatever happens to either', () => {
  let server: TestPostgres;
  let world: ShopWorld;
  let url = '';
  let admin: pg.Client;
  let replicas: readonly Replica[] = [];
  let made: readonly string[] = [];

  beforeAll(async () => {
    server = await startPostgres();
  }, 60_000);
  beforeEach(async () => {
    world = await startShopWorld();
    made = recordChanges(world, targets);
    url = await server.createDatabase('replicas');
    admin = new pg.Client({ connectionString: url });
    await admin.connect();
    world.repository.commit(
      'First',
      Object.fromEntries(targets.map((target) => [`${target}.yaml`, policyOf(target)])),
    );
    const place = shopPlace(world, url);
    replicas = [await makeReplica(place, 'one'), await makeReplica(place, 'other')];
    for (const replica of replicas) await replica.start();
  });
  afterEach(async () => {
    await Promise.all(replicas.map((replica) => replica.close()));
    await admin.end();
    await world.stop();
  });
  afterAll(() => server.stop());

  /** What passes within fifteen seconds without a renewal: a holder that goes on renews them in time. */
  const expireFences = (): Promise<unknown> =>
    admin.query('UPDATE ledger_epoch SET renewed_at = renewed_at - 15000');

  const scaleAllTo = async (count: number): Promise<void> => {
    for (const target of targets) setLoad(world, target, count);
    for (const target of targets) {
      await eventually({
        description: `${target} has ${count}`,
        probe: () => Promise.resolve(replicasOf(world, target) === count || undefined),
        timeoutMilliseconds: followMilliseconds,
      });
    }
  };

  it(`follow the load, and have a record that is the API server's own (${rounds} faults, seed ${seed})`, async () => {
    const random = new Random(seed);
    await scaleAllTo(6);
    for (let round = 0; round < rounds; round += 1) {
      // One that lost a connection while it started has ended by itself, and could not take over in this round.
      for (const each of replicas) await each.revive();
      const [replica, fault] = [random.pick(replicas), random.pick(replicaFaults)];
      // What a failed run is repeated by.
      process.stderr.write(`round ${round}, seed ${seed}: ${replica.name} ${fault.name}\n`);
      await fault.begin(replica);
      await expireFences();
      try {
        if (fault.isBlind !== true) await scaleAllTo(5 + (round % 3));
      } finally {
        await fault.end(replica);
      }
      await scaleAllTo(8 + 2 * (round % 2));
    }
    await soon('every intent has an outcome', async () => {
      const { intents, outcomes } = outcomesOf(await loadEntriesOf(url));
      return intents.every((intent) => outcomes.includes(intent)) || undefined;
    });
    for (const replica of replicas) expect(await replica.process().stop()).toBe(0);
    expect(await recordedChanges(url)).toEqual(made.toSorted());
    const { intents, outcomes } = outcomesOf(await loadEntriesOf(url));
    expect(outcomes).toEqual(intents);
    expect(await verifyLedger(url, world.folder)).toBe(3);
  });
});
