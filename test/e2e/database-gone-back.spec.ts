import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { eventually } from '../control-plane/poll.ts';
import { startPostgres, type TestPostgres } from '../support/postgres.ts';
import { lastLines } from './support/last-lines.ts';
import { makeReplica, type Replica, shopPlace, startTimeoutMilliseconds } from './support/make-replica.ts';
import { policyOf, recordChanges, replicasOf, setLoad, targets } from './support/replica-changes.ts';
import { type ShopWorld, startShopWorld } from './support/shop-world.ts';
import { verifyLedger } from './support/verify-ledger.ts';

/** A restart of both, fences that expire, and a machine that is busy. */
const followMilliseconds = 120_000;

jest.setTimeout(2 * startTimeoutMilliseconds + 6 * followMilliseconds);

/** Longer than a failover takes: what the replicas hold they hold throughout. */
const terms = { leaseDurationSeconds: 12, renewDeadlineSeconds: 9, retryPeriodSeconds: 1 };

/** What a replica says is in force. */
interface InForce {
  readonly policies: {
    readonly edges: readonly { readonly node: { readonly name: string; readonly maxReplicas: number } }[];
  };
  readonly interventions: readonly { readonly id: string }[];
}

const inForce = '{ policies { edges { node { name maxReplicas } } } interventions { id } }';

const suspend = `mutation ($expires: String!) {
  suspendScaling(scope: Namespace, namespace: "shop", direction: Both, expires: $expires, reason: "a sale") {
    __typename
  }
}`;

const isSuspended = ({ interventions }: InForce): boolean => interventions.length > 0;

function hasMaximum({ policies }: InForce, maximum: number): boolean {
  return policies.edges.some(({ node }) => node.name === 'left' && node.maxReplicas === maximum);
}

describe('two replicas whose database fails over to a standby that lacks the latest', () => {
  let server: TestPostgres;
  let world: ShopWorld;
  let url = '';
  let replicas: readonly Replica[] = [];

  beforeAll(async () => {
    server = await startPostgres();
    world = await startShopWorld();
    url = await server.createDatabase('gone_back');
    recordChanges(world, targets);
    const metadata = { name: 'plimsoll-system' };
    world.simulator.objects.create({ apiVersion: 'v1', kind: 'Namespace', metadata });
    const files = targets.map((target) => [`${target}.yaml`, policyOf(target)] as const);
    world.repository.commit('First', Object.fromEntries(files));
    const coordination = { namespace: 'plimsoll-system', advertisedUrl: 'http://127.0.0.1:1', ...terms };
    const place = shopPlace(world, url, { coordination });
    replicas = [await makeReplica(place, 'one'), await makeReplica(place, 'other')];
  }, 120_000);
  afterAll(async () => {
    await Promise.all(replicas.map((replica) => replica.close()));
    await world.stop();
    await server.stop();
  });

  const follow = (description: string, probe: () => Promise<boolean> | boolean): Promise<true> =>
    eventually({
      description,
      probe: async () => (await probe()) || undefined,
      timeoutMilliseconds: followMilliseconds,
    });
  const scaledTo = (count: number): Promise<true> => {
    for (const target of targets) setLoad(world, target, count);
    return follow(`${targets.join(', ')} to have ${count}`, () =>
      targets.every((target) => replicasOf(world, target) === count),
    );
  };
  /** None while one of them starts anew. */
  const answers = (): Promise<readonly InForce[]> =>
    Promise.all(replicas.map((replica) => replica.process().query<InForce>(inForce))).catch(() => []);
  const bothHave = (description: string, isInForce: (said: InForce) => boolean): Promise<true> =>
    follow(`both to have ${description}`, async () => {
      const said = await answers();
      return said.length === replicas.length && said.every(isInForce);
    });
  const suspendAtLeader = (): Promise<true> =>
    follow('the leader to take the suspension', async () => {
      const expires = new Date(Date.now() + 3_600_000).toISOString();
      const asked = replicas.map((replica) => replica.process().query(suspend, { expires }));
      await Promise.allSettled(asked);
      return (await answers()).some(isSuspended);
    });

  it('go on from what the standby has, both of them, and take from Git what it lacks', async () => {
    try {
      const standby = await server.startStandby();
      await Promise.all(replicas.map((replica) => replica.start()));
      await scaledTo(6);
      await standby.hasAll();
      await standby.cutOff();
      await scaledTo(9);
      const lowered = policyOf('left').replace('maxReplicas: 12', 'maxReplicas: 11');
      world.repository.commit('Second', { 'left.yaml': lowered });
      await bothHave('the second commit', (said) => hasMaximum(said, 11));
      await suspendAtLeader();
      await bothHave('the suspension', isSuspended);
      await server.crash();
      await standby.promote();
      for (const { database } of replicas) database.leadTo(standby.port);
      await bothHave('no suspension', (said) => !isSuspended(said));
      await bothHave('the second commit again', (said) => hasMaximum(said, 11));
      await scaledTo(5);
      expect(replicas.map(({ process: each }) => each().hasEnded)).toEqual([false, false]);
      // 3: it is intact, and has no checkpoint.
      const promoted = new URL(url);
      promoted.port = String(standby.port);
      expect(await verifyLedger(promoted.href, world.folder)).toBe(3);
    } catch (error) {
      process.stderr.write(`${replicas.map(lastLines).join('\n')}\n`);
      throw error;
    }
  });
});
