import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { eventually } from '../control-plane/poll.ts';
import { startPostgres, type TestPostgres } from '../support/postgres.ts';
import { type PostgresProxy, startPostgresProxy } from '../support/postgres-proxy.ts';
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

/** More of them: `LOST_COMMITS=20 LOST_COMMITS_SEED=1 npm run jest -- test/e2e/lost-commits` (minutes). */
const rounds = Number(process.env['LOST_COMMITS'] ?? 1);
const seed = runSeed('LOST_COMMITS_SEED');

const followMilliseconds = 120_000;

jest.setTimeout(2 * startTimeoutMilliseconds + rounds * 2 * followMilliseconds);

const terms = { leaseDurationSeconds: 3, renewDeadlineSeconds: 2, retryPeriodSeconds: 0.5 };

/** Of each round: intents, outcomes, renewals, states, and revisions are among the COMMITs that it meets. */
const faultsPerRound = 12;

describe('two replicas whose COMMITs are carried out and not answered', () => {
  let server: TestPostgres;
  let proxy: PostgresProxy;
  let world: ShopWorld;
  let url = '';

  beforeAll(async () => {
    server = await startPostgres();
    proxy = await startPostgresProxy(server);
    world = await startShopWorld();
    url = await server.createDatabase('lost_commits');
  }, 120_000);
  afterAll(async () => {
    await world.stop();
    await proxy.stop();
    await server.stop();
  });

  it(`record each change and each activation once (${rounds} rounds, seed ${seed})`, async () => {
    const random = new Random(seed);
    const asked = new AskedCounts(4);
    const changes: CountChange[] = [];
    const made = recordChanges(world, targets, (change) => changes.push(change));
    const ask = (count: number): void => {
      asked.ask(count);
      for (const target of targets) setLoad(world, target, count);
    };
    const commit = (round: number): void => {
      const files = targets.map(
        (target) =>
          [
            `${target}.yaml`,
            policyOf(target).replace('namespace: shop}', `namespace: shop, labels: {round: r${round}}}`),
          ] as const,
      );
      world.repository.commit(`Round ${round}`, Object.fromEntries(files));
    };
    const scaledTo = (count: number): Promise<true> =>
      eventually({
        description: `${targets.join(', ')} to have ${count}`,
        probe: () =>
          Promise.resolve(targets.every((target) => replicasOf(world, target) === count) || undefined),
        timeoutMilliseconds: followMilliseconds,
      });
    commit(0);
    const metadata = { name: 'plimsoll-system' };
    world.simulator.objects.create({ apiVersion: 'v1', kind: 'Namespace', metadata });
    const behind = new URL(url);
    behind.port = String(proxy.port);
    const coordination = { namespace: 'plimsoll-system', advertisedUrl: 'http://127.0.0.1:1', ...terms };
    const place = shopPlace(world, behind.href, { coordination });
    const replicas = [await makeReplica(place, 'one'), await makeReplica(place, 'other')];
    try {
      await Promise.all(replicas.map((replica) => replica.start()));
      ask(6);
      await scaledTo(6);
      for (let round = 1; round <= rounds; round += 1) {
        process.stderr.write(`round ${round}, seed ${seed}\n`);
        for (let fault = 0; fault < faultsPerRound; fault += 1)
          proxy.faults.push(random.below(4) === 0 ? 'LoseCommit' : 'LoseCommitAnswer');
        const count = round % 2 === 1 ? 10 : 6;
        ask(count);
        commit(round);
        await scaledTo(count);
        await soon('every fault has happened', () => proxy.faults.length === 0 || undefined);
        expect(replicas.map(({ process: each }) => each().hasEnded)).toEqual([false, false]);
        await soon(
          'the commit is in force',
          async () => (await changesOf(url)) >= (round + 1) * targets.length || undefined,
        );
      }
      await soon('every intent has an outcome', async () => {
        const { intents, outcomes } = outcomesOf(await loadEntriesOf(url));
        return intents.every((intent) => outcomes.includes(intent)) || undefined;
      });
      for (const replica of replicas) expect(await replica.process().stop()).toBe(0);
      const entries = await loadEntriesOf(url);
      expect(await changesOf(url)).toBe((rounds + 1) * targets.length);
      expect(await recordedChanges(url)).toEqual(made.toSorted());
      expect(await recordedForeignChanges(url)).toEqual([]);
      expect(asked.accidentsIn(changes)).toEqual([]);
      const { intents, outcomes } = outcomesOf(entries);
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

/** How often the ledger says that a policy was changed: once per commit and policy. */
async function changesOf(url: string): Promise<number> {
  return (await loadEntriesOf(url)).filter(({ kind }) => kind === 'PolicyChange').length;
}
