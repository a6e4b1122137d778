import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { eventually } from '../control-plane/poll.ts';
import { startPostgres, type TestPostgres } from '../support/postgres.ts';
import { Random } from '../support/random.ts';
import { runSeed } from '../support/run-seed.ts';
import { AskedCounts, type CountChange } from './support/asked-counts.ts';
import { describeScopes } from './support/describe-scopes.ts';
import { lastLines } from './support/last-lines.ts';
import { loadEntriesOf } from './support/load-entries.ts';
import { makeReplica, type Replica, shopPlace } from './support/make-replica.ts';
import {
  outcomesOf,
  policyOf,
  recordChanges,
  recordedChanges,
  recordedForeignChanges,
  replicasOf,
  setLoad,
} from './support/replica-changes.ts';
import { type ShopWorld, startShopWorld } from './support/shop-world.ts';
import { soon } from './support/soon.ts';
import { verifyLedger } from './support/verify-ledger.ts';

/**
 * `npm run test:kills` makes five. More of them: `REPLICA_KILLS=500 REPLICA_KILLS_SEED=1 npm run test:kills` (an hour), and
 * with the Leases that are the default, `REPLICA_KILLS=50 REPLICA_LEASES=real npm run test:kills` (half an hour).
 */
const kills = Number(process.env['REPLICA_KILLS']);
const seed = runSeed('REPLICA_KILLS_SEED');
const terms =
  process.env['REPLICA_LEASES'] === 'real'
    ? { leaseDurationSeconds: 15, renewDeadlineSeconds: 10, retryPeriodSeconds: 2 }
    : { leaseDurationSeconds: 1.5, renewDeadlineSeconds: 1, retryPeriodSeconds: 0.2 };

/** Restarts, and a machine that is busy, come on top of the Lease. */
const followMilliseconds = 90_000;

jest.setTimeout(120_000 + kills * 2 * followMilliseconds);

/** Enough that each replica has some of them. */
const targets = ['left', 'right', 'upper', 'lower', 'inner', 'outer'];

/** More than that on top of the Lease is looked into. */
const slackSeconds = 5;

/** A kill falls anywhere between the change of the load and the pass that follows it, or after it. */
const maximumDelayMilliseconds = 1_500;

describe('two replicas that share the policies, one of which is killed again and again', () => {
  let server: TestPostgres;
  let world: ShopWorld;

  beforeAll(async () => {
    server = await startPostgres();
    world = await startShopWorld();
  }, 60_000);
  afterAll(async () => {
    await world.stop();
    await server.stop();
  });

  const scaledTo = (count: number): Promise<true> =>
    eventually({
      description: `${targets.join(', ')} to have ${count}`,
      probe: () =>
        Promise.resolve(targets.every((target) => replicasOf(world, target) === count) || undefined),
      timeoutMilliseconds: followMilliseconds,
      intervalMilliseconds: 50,
    });

  it(`follow the load and record what the API server does (${kills} kills, seed ${seed})`, async () => {
    const random = new Random(seed);
    const asked = new AskedCounts(4);
    const changes: CountChange[] = [];
    const made = recordChanges(world, targets, (change) => changes.push(change));
    const ask = (count: number): void => {
      asked.ask(count);
      for (const target of targets) setLoad(world, target, count);
    };
    const url = await server.createDatabase('killed');
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
      const seconds = await killAgainAndAgain(replicas, { random, ask });
      process.stderr.write(`${kills} kills, seed ${seed}: ${describeTimes(seconds)}\n`);
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
      const scopes = await describeScopes(url, world, targets).catch(() => []);
      process.stderr.write([...replicas.map(lastLines), ...scopes, ''].join('\n'));
      throw error;
    } finally {
      await Promise.all(replicas.map((replica) => replica.close()));
    }
  });

  /** @returns how long the load was not followed after each kill, in seconds */
  async function killAgainAndAgain(
    replicas: readonly Replica[],
    { random, ask }: { readonly random: Random; readonly ask: (count: number) => void },
  ): Promise<readonly number[]> {
    const seconds: number[] = [];
    for (let kill = 0; kill < kills; kill += 1) {
      // Out of each other's tolerance, and no more than twice as many.
      const count = kill % 2 === 0 ? 10 + random.below(2) : 6 + random.below(2);
      const replica = random.pick(replicas);
      const milliseconds = random.below(maximumDelayMilliseconds);
      // What a failed run is repeated by.
      process.stderr.write(
        `kill ${kill}, seed ${seed}: ${replica.name}, ${milliseconds} ms after ${count}\n`,
      );
      ask(count);
      await delay(milliseconds);
      await replica.process().kill();
      const killedAt = Date.now();
      const started = replica.start();
      await scaledTo(count);
      const followed = (Date.now() - killedAt) / 1_000;
      if (followed > terms.leaseDurationSeconds + slackSeconds)
        process.stderr.write(`${followed} s\n${linesSince(replicas, killedAt).join('\n')}\n`);
      seconds.push(followed);
      await started;
    }
    return seconds;
  }
});

/** What a slow take-over is understood by: what each replica said of itself from the kill on, until the load was followed. */
function linesSince(replicas: readonly Replica[], killedAt: number): readonly string[] {
  const lines = replicas.flatMap(({ name, runs }) =>
    runs.slice(-2).flatMap(({ process: { log } }) =>
      log.map(({ time, msg, lease = '', sentence = '' }) => ({
        at: new Date(time as string | number).getTime() - killedAt,
        text: `${name}: ${[msg, lease, sentence].map(String).join(' ')}`,
      })),
    ),
  );
  const since = lines.filter(({ at }) => at >= 0).toSorted((a, b) => a.at - b.at);
  return since.map(({ at, text }) => `${(at / 1_000).toFixed(1)} s ${text}`);
}

function describeTimes(seconds: readonly number[]): string {
  const ordered = seconds.toSorted((a, b) => a - b);
  const at = (share: number): string =>
    `${(ordered[Math.ceil(ordered.length * share) - 1] ?? Number.NaN).toFixed(1)} s`;
  return `followed within ${at(0.5)} (p50), ${at(0.99)} (p99), ${at(1)} at most`;
}
