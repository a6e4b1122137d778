import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { startPostgres, type TestPostgres } from '../support/postgres.ts';
import type { HoldingProxy, ProxiedRequest } from './support/holding-proxy.ts';
import { loadEntriesOf } from './support/load-entries.ts';
import type { Replica } from './support/make-replica.ts';
import { ReplicaTrial } from './support/replica-trial.ts';
import { ShopCluster } from './support/shop-cluster.ts';
import { verifyLedger } from './support/verify-ledger.ts';

jest.setTimeout(600_000);

/** Long enough for a busy machine: a replica that loses its shards by itself says nothing here. */
const terms = { leaseDurationSeconds: 15, renewDeadlineSeconds: 10, retryPeriodSeconds: 2 };

const replicas = ['first', 'second'];

const isWriteOfLeft = ({ method, path }: ProxiedRequest): boolean =>
  method === 'PUT' && path.includes('/deployments/left/scale');

/** Two replicas, and the proxies by which they reach the API server. */
interface Reached {
  readonly trial: ReplicaTrial;
  readonly proxies: ReadonlyMap<string, HoldingProxy>;
  readonly databaseUrl: string;
  readonly folder: string;
}

/** A replica that stands still, and its proxy, which keeps its write back. */
interface StoppedWriter {
  readonly replica: Replica;
  readonly proxy: HoldingProxy;
}

/** A replica stands still from the moment that its request is under way until another has its shards. */
describe('a write of a process that stood still, at a real API server', () => {
  let server: TestPostgres;
  let shop: ShopCluster;

  beforeAll(async () => {
    server = await startPostgres();
    shop = await ShopCluster.start(['left', 'right']);
  }, 180_000);
  afterAll(async () => {
    await shop.stop();
    await server.stop();
  });

  async function inTrial(prefix: string, act: (reached: Reached) => Promise<void>): Promise<void> {
    const databaseUrl = await server.createDatabase(prefix);
    const reached = replicas.map(async (name) => [name, await shop.proxyFor(name)] as const);
    const proxies = new Map(await Promise.all(reached));
    try {
      const trial = await ReplicaTrial.start(shop, { databaseUrl, replicas, prefix, terms, proxies });
      try {
        await trial.scaleAllTo(9);
        await trial.scaleAllTo(6);
        await trial.settle();
        await act({ trial, proxies, databaseUrl, folder: join(shop.folder, prefix) });
      } finally {
        await trial.close();
      }
    } finally {
      await Promise.all([...proxies.values()].map((proxy) => proxy.stop()));
    }
  }

  it('is refused once another has taken over, and is on record as not made', () =>
    inTrial('refused', async (reached) => {
      const { trial, databaseUrl } = reached;
      const writer = await stopInWrite(reached);
      // The successor's own write must not be what makes the version a former one.
      trial.askFor(6);
      await trial.settle();
      expect((await failuresOfLeft(databaseUrl)).at(-1)).toBe('NotApplied');
      process.kill(writer.replica.process().pid, 'SIGCONT');
      expect(await writer.proxy.deliverHeld()).toEqual([409]);
      expect(await shop.replicasOf('left')).toBe(6);
      await expectOneTruth(reached, writer);
    }));

  it('is recorded once where it arrives before another has taken over', () =>
    inTrial('recorded', async (reached) => {
      const { trial, databaseUrl } = reached;
      // A shard that is handed over to the second replica as it comes may end a write before it is made.
      const before = await failuresOfLeft(databaseUrl);
      const writer = await stopInWrite(reached);
      expect(await writer.proxy.deliverHeld()).toEqual([200]);
      await trial.settle();
      process.kill(writer.replica.process().pid, 'SIGCONT');
      expect(await shop.replicasOf('left')).toBe(10);
      expect(await failuresOfLeft(databaseUrl)).toEqual(before);
      await expectOneTruth(reached, writer);
    }));
});

/** Asks for ten replicas, and stops the process whose write of `left` is under way then. */
async function stopInWrite({ trial, proxies }: Reached): Promise<StoppedWriter> {
  for (const proxy of proxies.values()) proxy.holdRequests(isWriteOfLeft);
  trial.askFor(10);
  const held = trial.replicas.map(async (replica) => {
    const proxy = proxies.get(replica.name)!;
    await proxy.whenHeld();
    return { replica, proxy };
  });
  const writer = await Promise.race(held);
  process.kill(writer.replica.process().pid, 'SIGSTOP');
  for (const proxy of proxies.values()) if (proxy !== writer.proxy) proxy.release();
  return writer;
}

/** What became of the writes of `left` that changed nothing. */
async function failuresOfLeft(databaseUrl: string): Promise<readonly unknown[]> {
  const entries = await loadEntriesOf(databaseUrl);
  return entries
    .filter(({ kind, stream }) => kind === 'ScalingFailure' && stream === 'policy:shop/left')
    .map(({ payload }) => payload['code']);
}

/** Both go on, and what is on record is what the API server has carried out. */
async function expectOneTruth(
  { trial, databaseUrl, folder }: Reached,
  { replica, proxy }: StoppedWriter,
): Promise<void> {
  proxy.release();
  await replica.revive();
  await trial.scaleAllTo(8);
  await trial.settle();
  for (const each of trial.replicas) expect(await each.process().stop()).toBe(0);
  expect(await trial.accidents()).toEqual([]);
  expect(await trial.writesAfterTakeOvers()).toEqual([]);
  expect(await trial.recordDifferences()).toEqual([]);
  expect(await verifyLedger(databaseUrl, folder)).toBe(3);
}
