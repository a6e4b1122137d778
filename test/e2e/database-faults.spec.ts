import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import pg from 'pg';
import type { JsonObject } from '#kernel';
import { eventually } from '../control-plane/poll.ts';
import { startPostgres, type TestPostgres } from '../support/postgres.ts';
import { Random } from '../support/random.ts';
import { runSeed } from '../support/run-seed.ts';
import { AskedCounts, type CountChange } from './support/asked-counts.ts';
import { lastLines } from './support/last-lines.ts';
import { loadEntriesOf } from './support/load-entries.ts';
import { makeReplica, shopPlace, startTimeoutMilliseconds } from './support/make-replica.ts';
import {
  outcomesOf,
  policyOf,
  recordChanges,
  recordedChanges,
  recordedForeignChanges,
  replicasOf,
  setLoad,
  targets,
} from './support/replica-changes.ts';
import { type ShopWorld, startShopWorld } from './support/shop-world.ts';
import { soon } from './support/soon.ts';
import { verifyLedger } from './support/verify-ledger.ts';

/** All of them, repeatably: `DATABASE_FAULTS=9 DATABASE_FAULTS_SEED=1 npm run jest -- test/e2e/database-faults` (minutes). */
const rounds = Number(process.env['DATABASE_FAULTS'] ?? 2);
const seed = runSeed('DATABASE_FAULTS_SEED');

/** A take-over, a restart of both, and a machine that is busy. */
const followMilliseconds = 120_000;

jest.setTimeout(2 * startTimeoutMilliseconds + rounds * 2 * followMilliseconds);

const terms = { leaseDurationSeconds: 3, renewDeadlineSeconds: 2, retryPeriodSeconds: 0.5 };

/** Longer than a Lease. */
const faultMilliseconds = 5_000;

/** What happens to what both replicas share. */
interface SharedFault {
  readonly name: string;
  readonly begin: () => unknown;
  readonly end: () => unknown;
  /** The table that the logs name; absent: replicas may lose what they hold. */
  readonly lockedTable?: string;
}

/** Longer than the database may be silent to a replica before that one gives back what it holds. */
const lockMilliseconds = 10_000;

/** What a replica says that has lost what it held. */
const startsAnew = 'what was carried out has ended; the application starts anew';

describe('two replicas whose database, or whose Leases, somebody or something spoils', () => {
  let server: TestPostgres;
  let world: ShopWorld;
  let url = '';

  beforeAll(async () => {
    server = await startPostgres();
    world = await startShopWorld();
    url = await server.createDatabase('spoiled');
  }, 120_000);
  afterAll(async () => {
    await world.stop();
    await server.stop();
  });

  const administrate = async (...statements: readonly string[]): Promise<void> => {
    const place = new URL(url);
    place.pathname = '/postgres';
    const client = new pg.Client({ connectionString: place.href });
    await client.connect();
    for (const statement of statements) await client.query(statement);
    await client.end();
  };
  const disconnect = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = 'spoiled'";

  /** Changes the Leases of all shards as whoever may edit them can. */
  const editLeases = (spec: JsonObject, annotations: Readonly<Record<string, string>>): void => {
    const { objects } = world.simulator;
    const key = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', namespace: 'plimsoll-system' };
    for (const {
      metadata: { name },
    } of objects.list(key)) {
      if (!name.includes('-shard-')) continue;
      objects.update({ ...key, name }, (live) => ({
        ...live,
        metadata: { ...live.metadata, annotations: { ...live.metadata.annotations, ...annotations } },
        spec: { ...(live['spec'] as JsonObject), ...spec },
      }));
    }
  };

  /** What an operator's session does that was left open, or what makes an index. */
  const lockOf = (table: string): SharedFault => {
    let session: pg.Client;
    return {
      name: `has ${table} locked by somebody`,
      lockedTable: table,
      begin: async () => {
        session = new pg.Client({ connectionString: url });
        await session.connect();
        await session.query('BEGIN');
        await session.query(`LOCK TABLE ${table} IN ACCESS EXCLUSIVE MODE`);
      },
      end: () => session.end(),
    };
  };

  let taken: readonly pg.Client[] = [];
  const faults: readonly SharedFault[] = [
    {
      name: 'takes only reads',
      begin: () => administrate('ALTER DATABASE spoiled SET default_transaction_read_only = on', disconnect),
      end: () => administrate('ALTER DATABASE spoiled RESET default_transaction_read_only', disconnect),
    },
    {
      name: 'takes no connections',
      begin: () => administrate('ALTER DATABASE spoiled ALLOW_CONNECTIONS false', disconnect),
      end: () => administrate('ALTER DATABASE spoiled ALLOW_CONNECTIONS true'),
    },
    {
      name: 'has no connection left',
      begin: async () => {
        await administrate(disconnect);
        taken = await takeAllConnections(url);
      },
      end: () => Promise.all(taken.map((client) => client.end())),
    },
    {
      name: 'crashes, and is started again',
      begin: () => server.crash(),
      end: () => server.restart(),
    },
    { name: 'stands still', begin: () => server.pause(), end: () => server.resume() },
    {
      name: 'has its fences given to somebody who does not exist',
      begin: () => takeFences(url),
      end: () => undefined,
    },
    {
      name: 'stays, and the Leases say what they can at most',
      begin: () =>
        editLeases(
          {
            holderIdentity: '',
            leaseTransitions: 2_147_483_647,
            renewTime: '9999-12-31T23:59:59.999999Z',
            acquireTime: '9999-12-31T23:59:59.999999Z',
          },
          { 'plimsoll.dev/lease-duration-milliseconds': '1e300' },
        ),
      end: () => undefined,
    },
    lockOf('pending_intent'),
    lockOf('policy_state'),
  ];

  it(`follow the load afterwards, and record what the API server does (${rounds} faults, seed ${seed})`, async () => {
    const random = new Random(seed);
    const asked = new AskedCounts(4);
    const changes: CountChange[] = [];
    const made = recordChanges(world, targets, (change) => changes.push(change));
    const ask = (count: number): void => {
      asked.ask(count);
      for (const target of targets) setLoad(world, target, count);
    };
    const scaledTo = (count: number): Promise<true> =>
      eventually({
        description: `${targets.join(', ')} to have ${count}`,
        probe: () =>
          Promise.resolve(targets.every((target) => replicasOf(world, target) === count) || undefined),
        timeoutMilliseconds: followMilliseconds,
      });
    const files = targets.map((target) => [`${target}.yaml`, policyOf(target)] as const);
    world.repository.commit('First', Object.fromEntries(files));
    const metadata = { name: 'plimsoll-system' };
    world.simulator.objects.create({ apiVersion: 'v1', kind: 'Namespace', metadata });
    const coordination = { namespace: 'plimsoll-system', advertisedUrl: 'http://127.0.0.1:1', ...terms };
    const place = shopPlace(world, url, { coordination });
    const replicas = [await makeReplica(place, 'one'), await makeReplica(place, 'other')];
    try {
      await Promise.all(replicas.map((replica) => replica.start()));
      ask(6);
      await scaledTo(6);
      const first = random.below(faults.length);
      for (let round = 0; round < rounds; round += 1) {
        const fault = faults[(first + round) % faults.length]!;
        // What a failed run is repeated by.
        process.stderr.write(`round ${round}, seed ${seed}: the database ${fault.name}\n`);
        const count = round % 2 === 0 ? 10 : 6;
        const before = replicas.map((replica) => replica.process().log.length);
        await fault.begin();
        ask(count);
        await delay(fault.lockedTable === undefined ? faultMilliseconds : lockMilliseconds);
        await fault.end();
        await scaledTo(count);
        if (fault.lockedTable !== undefined) {
          const log = replicas.flatMap((each, index) => each.process().log.slice(before[index]));
          expect(log.filter(({ msg }) => msg === startsAnew)).toEqual([]);
          expect(JSON.stringify(log)).toContain(`another session keeps a lock on ${fault.lockedTable}`);
        }
        expect(replicas.map(({ process: each }) => each().hasEnded)).toEqual([false, false]);
      }
      await soon('every intent has an outcome', async () => {
        const { intents, outcomes } = outcomesOf(await loadEntriesOf(url));
        return intents.every((intent) => outcomes.includes(intent)) || undefined;
      });
      for (const replica of replicas) expect(await replica.process().stop()).toBe(0);
      expect(await recordedChanges(url)).toEqual(made.toSorted());
      expect(await recordedForeignChanges(url)).toEqual([]);
      expect(asked.accidentsIn(changes)).toEqual([]);
      const { intents, outcomes } = outcomesOf(await loadEntriesOf(url));
      expect(outcomes).toEqual(intents);
      expect(await verifyLedger(url, world.folder)).toBe(3);
    } catch (error) {
      process.stderr.write(`${replicas.map(lastLines).join('\n')}\n`);
      throw error;
    } finally {
      await Promise.all(replicas.map((replica) => replica.close()));
    }
  });
});

/** More than a server has by default, with those that it keeps for its administrators. */
const maximumConnections = 120;

async function takeAllConnections(url: string): Promise<readonly pg.Client[]> {
  const taken: pg.Client[] = [];
  while (taken.length < maximumConnections) {
    const client = new pg.Client({ connectionString: url });
    client.on('error', () => undefined);
    try {
      await client.connect();
    } catch {
      break;
    }
    taken.push(client);
  }
  return taken;
}

/** PostgreSQL's code for it. */
const deadlock = '40P01';

const fenceAttempts = 20;

/** The replicas renew the same rows, in an order of their own: who is chosen to give way tries again. */
async function takeFences(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  try {
    for (let attempt = 1; ; attempt += 1) {
      try {
        await client.query(
          "UPDATE ledger_epoch SET epoch = epoch + 1, holder = 'somebody' WHERE scope LIKE 'shard/%'",
        );
        return;
      } catch (error) {
        if ((error as { readonly code?: string }).code !== deadlock || attempt === fenceAttempts) throw error;
      }
    }
  } finally {
    await client.end();
  }
}
