import { join } from 'node:path';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import type { ControllerProcess } from './support/controller-process.ts';
import { loadEntries } from './support/load-entries.ts';
import { recordChanges, recordedChanges, setLoad } from './support/replica-changes.ts';
import { type ShopWorld, startShopWorld } from './support/shop-world.ts';
import { soon } from './support/soon.ts';

jest.setTimeout(180_000);

const targets = ['left', 'right'] as const;

const policyOf = (name: string, target: string, more = ''): string => `apiVersion: plimsoll.dev/v1alpha1
kind: AutoscalingPolicy
metadata: {name: ${name}, namespace: shop}
spec:
  scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: ${target}}
  minReplicas: 1
  maxReplicas: 12
  interval: 1s
${more}  metrics:
    - {type: Resource, resource: {name: cpu, target: {type: Utilization, averageUtilization: 60}}}
  behavior: {scaleDown: {stabilizationWindowSeconds: 0}}
`;

interface Scene {
  readonly world: ShopWorld;
  readonly controller: ControllerProcess;
  /** The first revision. */
  readonly first: string;
}

const both = { 'a.yaml': policyOf('a', 'left'), 'b.yaml': policyOf('b', 'right') };
/** Half of what runs: a smaller count would wait for an approval. */
const disabled = '  enabled: false\n  replicas: 5\n';

async function mutate({ controller }: Scene, mutation: string): Promise<void> {
  const done = await controller.query(`mutation { done: ${mutation} { __typename } }`);
  expect(done).toEqual({ done: { __typename: 'SyncResult' } });
}

/** What is done while every write is without an answer. */
const changes: Readonly<Record<string, (scene: Scene) => Promise<unknown>>> = {
  'two policies swap their targets in one commit': ({ world }) =>
    Promise.resolve(
      world.repository.commit('Swap', { 'a.yaml': policyOf('a', 'right'), 'b.yaml': policyOf('b', 'left') }),
    ),
  'a policy is released': (scene) =>
    mutate(scene, 'releasePolicy(source: "policies", namespace: "shop", name: "a", reason: "a test")'),
  'its source is rolled back': (scene) =>
    mutate(scene, `rollBackSource(source: "policies", commit: "${scene.first}", reason: "a test")`),
  'a policy is disabled, and its count restored': ({ world }) =>
    Promise.resolve(world.repository.commit('Disable', { 'a.yaml': policyOf('a', 'left', disabled) })),
};

describe('a controller that is killed while its writes are under way and', () => {
  let world: ShopWorld | undefined;

  afterEach(() => world?.stop());

  it.each(Object.keys(changes))("has a record that is the API server's own: %s", async (name) => {
    world = await startShopWorld();
    const made = recordChanges(world, targets);
    const first = world.repository.commit('First', {
      ...both,
      'b.yaml': policyOf('b', 'right', '  dryRun: false\n'),
    });
    const blastRadius = { targets: 1_000, percent: 100 };
    const configuration = {
      sources: [{ name: 'policies', url: world.repository.url, interval: '1s', blastRadius }],
    };
    const controller = await world.startController(configuration);
    world.repository.commit('Second', both);
    const count = async (kinds: readonly string[]): Promise<number> =>
      (await loadEntries(world?.folder ?? '')).filter(({ kind }) => kinds.includes(kind)).length;
    await soon('both revisions, and every policy has decided', async () => {
      const [decisions, runs] = [await count(['Decision']), await count(['SyncRun'])];
      return (decisions >= 2 && runs >= 2) || undefined;
    });

    world.proxy.holdAnswers(({ method, path }) => method === 'PUT' && path.endsWith('/scale'));
    for (const target of targets) setLoad(world, target, 9);
    await soon('both writes are made, and without an answer', () => made.length >= 2 || undefined);
    await changes[name]?.({ world, controller, first });
    await soon('the change is recorded', async () => (await count(['SyncRun'])) >= 3 || undefined);
    await controller.kill();
    world.proxy.release();

    const second = await world.startController(configuration);
    await soon('every intent has its outcome, and the load is followed', async () => {
      const outcomes = await count(['ScalingEvent', 'ScalingFailure']);
      return (outcomes >= 2 && outcomes === (await count(['ScalingIntent']))) || undefined;
    });
    // The same again: what is restored once more is one more change.
    world.repository.commit('Enable', { 'a.yaml': policyOf('a', 'left') });
    await soon('the ref is looked at', async () => (await count(['SyncRun'])) >= 4 || undefined);
    await second.stop();
    expect(await recordedChanges(urlOf(world))).toEqual(made.toSorted());
  });

  it('restores the same count twice, once each', async () => {
    world = await startShopWorld();
    const made = recordChanges(world, targets);
    world.repository.commit('First', { 'a.yaml': policyOf('a', 'left') });
    const isMade = (change: string, times: number): Promise<true> =>
      soon(
        `${change}, ${times} times`,
        () => made.filter((each) => each === change).length >= times || undefined,
      );
    let controller = await world.startController();
    for (const times of [1, 2]) {
      setLoad(world, 'left', 9);
      await soon('the load is followed', () => made.at(-1)?.endsWith('→ 9') || undefined);
      world.repository.commit(`Disable ${times}`, { 'a.yaml': policyOf('a', 'left', disabled) });
      await isMade('left 9 → 5', times);
      await controller.kill();
      controller = await world.startController();
      world.repository.commit(`Enable ${times}`, { 'a.yaml': policyOf('a', 'left') });
    }
    await soon('the load is followed', () => made.at(-1)?.endsWith('→ 9') || undefined);
    await controller.stop();
    expect(await recordedChanges(urlOf(world))).toEqual(made.toSorted());
  });
});

function urlOf({ folder }: ShopWorld): string {
  return `sqlite:${join(folder, 'ledger.db')}`;
}
