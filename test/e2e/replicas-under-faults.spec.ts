import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import pg from 'pg';
import { exportLedger } from '../../apps/cli/src/audit/export-ledger.ts';
import { verifyExport } from '../../apps/cli/src/audit/verify-export.ts';
import { eventually } from '../control-plane/poll.ts';
import { startPostgres, type TestPostgres } from '../support/postgres.ts';
import { Random } from '../support/random.ts';
import { loadEntriesOf } from './support/load-entries.ts';
import {
  outcomesOf,
  policyOf,
  recordChanges,
  recordedChanges,
  setLoad,
  targets,
} from './support/replica-changes.ts';
import { makeReplica, type Replica } from './support/replica-pair.ts';
import { type ShopWorld, startShopWorld } from './support/shop-world.ts';
import { soon } from './support/soon.ts';

/** A night's run: `REPLICA_FAULTS=500 REPLICA_FAULTS_SEED=1 npm run jest -- test/e2e/replicas-under-faults.spec` (hours). */
const rounds = Number(process.env['REPLICA_FAULTS'] ?? 2);
const seed = Number(process.env['REPLICA_FAULTS_SEED'] ?? 20_261_123);

jest.setTimeout(120_000 + rounds * 120_000);

/** What happens to a replica. The others can go on meanwhile unless `isBlind`: it holds its scopes, and sees no cluster. */
interface Fault {
  readonly name: string;
  readonly isBlind?: boolean;
  readonly begin: (replica: Replica) => unknown;
  readonly end: (replica: Replica) => unknown;
}

const lateMilliseconds = 300;

/**
 * A replica whose clock is a minute behind takes its predecessor's recommendations for those of its window until their
 * time has come (`maximumFutureSeconds`), and so shrinks nothing for that minute.
 */
const followMilliseconds = 120_000;
const nothing = (): undefined => undefined;

const faults: readonly Fault[] = [
  { name: 'is killed', begin: (replica) => replica.process().kill(), end: (replica) => replica.start() },
  { name: 'ends', begin: (replica) => replica.process().stop(), end: (replica) => replica.start() },
  ...[60, -60].map((seconds) => ({
    name: `starts anew with a clock that is off by ${seconds} s`,
    begin: (replica: Replica) => replica.process().kill(),
    end: (replica: Replica) => replica.start(seconds),
  })),
  {
    name: 'stands still',
    begin: (replica) => process.kill(replica.process().pid, 'SIGSTOP'),
    end: (replica) => process.kill(replica.process().pid, 'SIGCONT'),
  },
  {
    name: 'hears nothing from the database',
    begin: ({ database }) => database.hang(),
    end: ({ database }) => database.open(),
  },
  {
    name: 'hears late from the database',
    begin: ({ database }) => database.deliverLate(lateMilliseconds),
    end: ({ database }) => database.open(),
  },
  { name: 'loses its connections to the database', begin: ({ database }) => database.cut(), end: nothing },
  {
    name: 'hears nothing from the API server',
    isBlind: true,
    begin: ({ cluster }) => cluster.hang(),
    end: ({ cluster }) => {
      cluster.open();
      cluster.cut();
    },
  },
  {
    name: 'hears late from the API server',
    begin: ({ cluster }) => cluster.deliverLate(lateMilliseconds),
    end: ({ cluster }) => cluster.open(),
  },
  { name: 'loses its connections to the API server', begin: ({ cluster }) => cluster.cut(), end: nothing },
];

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
    replicas = [await makeReplica(world, 'one', url), await makeReplica(world, 'other', url)];
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
      const [replica, fault] = [random.pick(replicas), random.pick(faults)];
      // What a failed run is repeated by.
      process.stderr.write(`round ${round}, seed ${seed}: ${replica.name} ${fault.name}\n`);
      await fault.begin(replica);
      await expireFences();
      try {
        if (fault.isBlind !== true) await scaleAllTo(5 + (round % 3));
      } finally {
        await fault.end(replica);
      }
      // Two apart: a step of one is within the tolerance, where no round in between has changed the count.
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
    expect(await isConsistent()).toBe(3);
  });

  /** The status of an export of the ledger: its chains are whole. */
  async function isConsistent(): Promise<number> {
    const terminal = {
      input: new PassThrough(),
      output: new PassThrough().resume(),
      messages: new PassThrough().resume(),
      environment: {},
      isColoured: false,
      isFollowed: false,
    };
    const output = join(world.folder, 'exported');
    await exportLedger({ database: url, output }, terminal);
    return verifyExport(output, { format: 'text' }, terminal);
  }
});

function replicasOf({ simulator }: ShopWorld, name: string): unknown {
  const target = { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'shop', name };
  const spec: unknown = simulator.objects.find(target)?.['spec'];
  return Reflect.get(Object(spec) as object, 'replicas');
}
