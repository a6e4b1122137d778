import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import pg from 'pg';
import { backUpDatabase, restoreDatabase } from '#adapter-sql';
import { defaultShardCount, shardOf } from '#coordination';
import { startPostgres, type TestPostgres } from '../support/postgres.ts';
import { Random } from '../support/random.ts';
import { runSeed } from '../support/run-seed.ts';
import { type ReplicaFault, replicaFaults } from './support/replica-faults.ts';
import { ReplicaTrial, type ReplicaTrialOptions } from './support/replica-trial.ts';
import { ShopCluster } from './support/shop-cluster.ts';
import { soon } from './support/soon.ts';
import { verifyLedger } from './support/verify-ledger.ts';
import { toldAfterSeconds, WatchedPolicies } from './support/watched-policies.ts';

/**
 * Each run has other faults, by a seed that it prints. Every fault, repeatably:
 * `REPLICA_FAULTS=16 REPLICA_FAULTS_SEED=1 npm run test:control-plane -- test/e2e/replicas.cluster` (minutes).
 */
const rounds = Number(process.env['REPLICA_FAULTS'] ?? 3);
const seed = runSeed('REPLICA_FAULTS_SEED');

/** The same of kills: `REPLICA_KILLS=250 REPLICA_KILLS_SEED=1`. */
const kills = Number(process.env['REPLICA_KILLS'] ?? 3);
const killSeed = runSeed('REPLICA_KILLS_SEED');

jest.setTimeout(300_000 + (rounds + kills) * 300_000);

/** A kill falls anywhere between the change of the load and the pass that follows it, or after it. */
const maximumDelayMilliseconds = 1_500;

/**
 * Beside the Lease and a look at it: what is read of a policy, its first pass, and a machine that carries a control plane,
 * a database and three controllers, and may be busy besides. Less than the minute that a clock is off by: waiting for that
 * is what must be seen.
 */
const slackSeconds = 30;

/** Long enough for a busy machine to renew in: with a third of it, Leases are lost for no other reason. */
const terms = { leaseDurationSeconds: 5, renewDeadlineSeconds: 3.5, retryPeriodSeconds: 1 };

/** Spread over the shards. */
const targets = ['left', 'right', 'upper', 'lower'];

/** What was asked for last: the load of no target changes after it. */
const calmCount = 6;

describe('replicas that share the policies of a real control plane', () => {
  let server: TestPostgres;
  let shop: ShopCluster;

  beforeAll(async () => {
    server = await startPostgres();
    shop = await ShopCluster.start(targets);
  }, 180_000);
  afterAll(async () => {
    await shop.stop();
    await server.stop();
  });

  const startTrial = async (
    prefix: string,
    replicas: readonly string[],
    given: Pick<Partial<ReplicaTrialOptions>, 'configurationOf'> = {},
  ): Promise<ReplicaTrial> => {
    const databaseUrl = await server.createDatabase(prefix);
    const trial = await ReplicaTrial.start(shop, { databaseUrl, replicas, prefix, terms, ...given });
    // Whatever the last trial has left, each policy has then been carried out.
    await trial.scaleAllTo(9);
    await trial.scaleAllTo(calmCount);
    return trial;
  };

  it(`carry them out whatever happens to one of three, and record it as the API server does (${rounds} faults, seed ${seed})`, async () => {
    const prefix = 'faults';
    const watched = await WatchedPolicies.start();
    const configurationOf = (replica: string): object => ({ traces: watched.tracesOf(replica) });
    const trial = await startTrial(prefix, ['replica-1', 'replica-2', 'replica-3'], { configurationOf });
    const unwatched: string[] = [];
    const lookForUnwatched = ({ name, extraSeconds = 0 }: ReplicaFault, since: number): void => {
      const { leaseDurationSeconds, retryPeriodSeconds } = terms;
      // The last passes of a replica that is killed are not told, and those after it as late as they may be.
      const told = 2 * toldAfterSeconds;
      const most = leaseDurationSeconds + retryPeriodSeconds + told + slackSeconds + extraSeconds;
      for (const target of targets) {
        const seconds = watched.longestGapSeconds(target, since);
        process.stderr.write(`${target}: without a pass for ${seconds} s at most\n`);
        if (seconds > most) unwatched.push(`${target} for ${seconds} s where a replica ${name}`);
      }
    };
    const deletedLeases: ReplicaFault = {
      name: 'has its Leases, and those of all others, deleted by hand',
      begin: () => shop.deleteLeases(prefix),
      end: () => undefined,
    };
    const editedLeases: ReplicaFault = {
      name: 'has its Leases, and those of all others, given to somebody else by hand',
      begin: () => shop.editLeases(prefix),
      end: () => undefined,
    };
    const random = new Random(seed);
    const faults = shuffled([...replicaFaults, deletedLeases, editedLeases], random);
    try {
      for (let round = 0; round < rounds; round += 1) {
        const fault = faults[round % faults.length]!;
        const replica = random.pick(trial.replicas);
        // What a failed run is repeated by.
        process.stderr.write(`round ${round}, seed ${seed}: ${replica.name} ${fault.name}\n`);
        const since = Date.now();
        await fault.begin(replica);
        try {
          await trial.scaleAllTo(4 + (round % 2));
        } finally {
          await fault.end(replica);
        }
        await trial.scaleAllTo(8);
        lookForUnwatched(fault, since);
      }
      await trial.scaleAllTo(calmCount);
      await trial.settle();
      // Which shards are of a replica's even share is chance: one may have had none of these targets' in the whole run. A
      // shard may still be moving, and whoever has it now is heard of with the passes of the next seconds.
      await soon('the passes of all who hold a shard of a target', () => {
        const holders = trial.lastHolders();
        return (holders.size > 0 && holders.isSubsetOf(watched.replicas)) || undefined;
      });
      expect(await trial.endAll()).toEqual([]);
      expect(await trial.accidents()).toEqual([]);
      expect(await trial.writesAfterTakeOvers()).toEqual([]);
      expect(await trial.recordDifferences()).toEqual([]);
      expect(await verifyLedger(urlOf(prefix), join(shop.folder, prefix))).toBe(3);
      expect(unwatched).toEqual([]);
      const seconds = await trial.longestWithoutHolderSeconds();
      process.stderr.write(`${rounds} faults: no shard was without a holder for more than ${seconds} s\n`);
    } finally {
      await trial.close();
      await watched.stop();
    }
  });

  it(`record what the API server does, however often one of three is killed (${kills} kills, seed ${killSeed})`, async () => {
    const prefix = 'kills';
    const names = ['replica-8', 'replica-9', 'replica-10'];
    const trial = await startTrial(prefix, names);
    const random = new Random(killSeed);
    try {
      for (let kill = 0; kill < kills; kill += 1) {
        const replica = random.pick(trial.replicas);
        const milliseconds = random.below(maximumDelayMilliseconds);
        const count = kill % 2 === 0 ? 10 : 6;
        process.stderr.write(
          `kill ${kill}, seed ${killSeed}: ${replica.name}, ${milliseconds} ms after ${count}\n`,
        );
        trial.askFor(count);
        await delay(milliseconds);
        await replica.process().kill();
        const started = replica.start();
        await trial.untilAllHave(count);
        await started;
      }
      await trial.scaleAllTo(calmCount);
      await trial.settle();
      expect(await trial.endAll()).toEqual([]);
      expect(await trial.accidents()).toEqual([]);
      expect(await trial.writesAfterTakeOvers()).toEqual([]);
      expect(await trial.recordDifferences()).toEqual([]);
      expect(await verifyLedger(urlOf(prefix), join(shop.folder, prefix))).toBe(3);
    } finally {
      await trial.close();
    }
  });

  it('carry on under a Lease that is deleted by hand, and under one that is given to a stranger for days', async () => {
    const prefix = 'edited';
    const trial = await startTrial(prefix, ['replica-11', 'replica-12']);
    const leader = `${prefix}-leader`;
    const names = [leader, ...targets.map((target) => leaseOfTarget(prefix, target))];
    const untilHeld = (name: string): Promise<true> =>
      soon(`${name} is a replica's, for as long as its Leases last`, async () => {
        const { holderIdentity = '', leaseDurationSeconds } = (await shop.leaseOf(name)) ?? {};
        const announced = await shop.leaseOf(`${prefix}-replica-${holderIdentity}`);
        const isHeld = announced !== null && leaseDurationSeconds === terms.leaseDurationSeconds;
        return isHeld || undefined;
      });
    try {
      for (const name of names) await shop.deleteLease(name);
      await trial.scaleAllTo(9);
      for (const name of names) await untilHeld(name);
      for (const name of names)
        await shop.editLease(name, { holderIdentity: 'a stranger', leaseDurationSeconds: 1_000_000 });
      await trial.scaleAllTo(calmCount);
      for (const name of names) await untilHeld(name);
      const told = trial.replicas
        .flatMap(({ process }) => process().log)
        .filter(({ msg, holder }) => String(msg).startsWith('a Lease was edited') && holder === 'a stranger')
        .map(({ lease, isReplica, seconds }) => ({ lease, isReplica, seconds }));
      const seconds = terms.leaseDurationSeconds;
      // The Lease of a shard that was moving to its even share had no holder who could tell. That of the leader moves to none.
      expect(told).toContainEqual({ lease: leader, isReplica: false, seconds });
      expect(told).toEqual(told.map(({ lease }) => ({ lease, isReplica: false, seconds })));
      expect(names).toEqual(expect.arrayContaining(told.map(({ lease }) => lease)));
      await trial.settle();
      expect(await trial.endAll()).toEqual([]);
      expect(await trial.accidents()).toEqual([]);
      expect(await trial.writesAfterTakeOvers()).toEqual([]);
      expect(await trial.recordDifferences()).toEqual([]);
      expect(await verifyLedger(urlOf(prefix), join(shop.folder, prefix))).toBe(3);
    } finally {
      await trial.close();
    }
  });

  it('go on from a backup that was restored while they were stopped', async () => {
    const prefix = 'restored';
    const trial = await startTrial(prefix, ['replica-4', 'replica-5']);
    try {
      const backup = join(shop.folder, `${prefix}.backup`);
      const madeAt = new Date().toISOString();
      await trial.settle();
      await backUpDatabase({ url: urlOf(prefix), file: backup, madeAt, onRows: () => undefined });
      await trial.scaleAllTo(10);
      expect(await trial.endAll()).toEqual([]);
      await administrate([`DROP DATABASE ${prefix}`, `CREATE DATABASE ${prefix}`]);
      await restoreDatabase({ url: urlOf(prefix), file: backup, onRows: () => undefined });
      await Promise.all(trial.replicas.map((replica) => replica.start()));
      await trial.scaleAllTo(5);
      await trial.settle();
      expect(await trial.endAll()).toEqual([]);
      expect(await trial.accidents()).toEqual([]);
      expect(await trial.writesAfterTakeOvers()).toEqual([]);
      // A change whose intent is lost is found at its target, and told by its field manager.
      expect(await trial.recordDifferences()).toEqual([]);
      expect(await verifyLedger(urlOf(prefix), join(shop.folder, prefix))).toBe(3);
    } finally {
      await trial.close();
    }
  });

  it('shrink nothing when an earlier copy of the database is put under them while they run', async () => {
    const prefix = 'replaced';
    const trial = await startTrial(prefix, ['replica-6', 'replica-7']);
    try {
      await trial.settle();
      const recorded = await trial.recordedCounts();
      const copied = (await trial.writes()).length;
      await administrate(copyOf(prefix, 'earlier'));
      await trial.scaleAllTo(10);
      await trial.settle();
      const written = (await trial.writes()).length;
      await administrate([
        `DROP DATABASE ${prefix} WITH (FORCE)`,
        `CREATE DATABASE ${prefix} TEMPLATE earlier`,
      ]);
      await trial.scaleAllTo(12);
      await trial.scaleAllTo(8);
      await trial.settle();
      expect(await trial.endAll()).toEqual([]);
      expect(await trial.accidents()).toEqual([]);
      expect(await trial.writesAfterTakeOvers()).toEqual([]);
      // What was on record in between is lost, and nothing of what comes after it.
      expect(await trial.recordDifferences({ recorded, copied, written })).toEqual([]);
      expect([0, 3]).toContain(await verifyLedger(urlOf(prefix), join(shop.folder, prefix)));
    } finally {
      await trial.close();
    }
  });

  function urlOf(database: string): string {
    const { host, port, user, password } = server;
    return `postgres://${user}:${encodeURIComponent(password)}@${host}:${port}/${database}`;
  }

  async function administrate(statements: readonly string[]): Promise<void> {
    const { host, port, user, password } = server;
    const client = new pg.Client({ host, port, user, password, database: 'postgres' });
    await client.connect();
    try {
      for (const statement of statements) await client.query(statement);
    } finally {
      await client.end();
    }
  }
});

/** That of the shard of a target's policy. */
function leaseOfTarget(prefix: string, name: string): string {
  return `${prefix}-shard-${shardOf({ namespace: 'shop', name }, defaultShardCount)}`;
}

/** A copy is made of a database that no one is connected to. */
function copyOf(database: string, copy: string): readonly string[] {
  return [
    `ALTER DATABASE ${database} ALLOW_CONNECTIONS false`,
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${database}'`,
    `CREATE DATABASE ${copy} TEMPLATE ${database}`,
    `ALTER DATABASE ${database} ALLOW_CONNECTIONS true`,
  ];
}

function shuffled<T>(items: readonly T[], random: Random): readonly T[] {
  const left = [...items];
  return items.map(() => left.splice(random.below(left.length), 1)[0] as T);
}
