import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { ObservedPod } from '#decision';
import type { OwnersReading } from '#reconciliation';
import type { NewObject } from '#simulator';
import {
  aDefinition,
  aDeployment,
  aPod,
  MovableTiming,
  type SimulatedKubernetes,
  startSimulatedKubernetes,
  until,
} from '../support/simulated-kubernetes.ts';

const query = { namespace: 'shop', selector: 'app=checkout' };
const never = new AbortController().signal;
const thing = { apiVersion: 'gone.example/v1', kind: 'Thing', name: 't', uid: 'u' };
const rocket = { apiVersion: 'example.com/v1', kind: 'Rocket', name: 'r', uid: 'u' };
const failed = (message: string) => ({
  error: { reason: 'OwnerLookupFailed', message: expect.stringContaining(message) },
});

let world: SimulatedKubernetes;
let timing: MovableTiming;
/** As the watch saw them last. */
let pods: readonly ObservedPod[];

beforeEach(async () => {
  timing = new MovableTiming();
  world = await startSimulatedKubernetes({ timing });
  world.simulator.objects.create(aDeployment('checkout'));
  await createPods(aPod('a', [deploymentReference()]));
});

afterEach(() => world.stop());

describe('an owner of a kind that the API server does not serve', () => {
  beforeEach(() => createPods(aPod('stranger', [thing])));

  it('is not found, and the others are, once discovery has answered so twice, 30 s apart', async () => {
    expect(await resolve()).toMatchObject(failed('believed after two answers 30 s apart'));
    timing.advance(29_000);
    expect(await resolve()).toMatchObject(failed('Thing'));
    timing.advance(16_000);
    expect(await resolve()).toMatchObject([{ kind: 'Deployment', name: 'checkout' }]);
  });

  it('is asked for anew by a pod that comes later: answers from before it was seen say nothing about it', async () => {
    await confirm();
    await createPods(aPod('later', [thing]));
    expect(await resolve()).toMatchObject(failed('Thing'));
    await confirm();
  });

  it('stands in the way of no pod that comes later and does not lead to it', async () => {
    await confirm();
    await createPods(aPod('b', [deploymentReference()]));
    expect(await resolve()).toMatchObject([{ kind: 'Deployment' }]);
  });

  it('is found from the next pass on when its kind is installed after all', async () => {
    const installed = { ...rocket, uid: '' };
    await createPods(aPod('passenger', [installed]));
    expect(await resolve()).toMatchObject(failed('serves no kind'));
    world.simulator.objects.create(aDefinition('Rocket'));
    world.simulator.objects.create(rocketObject());
    world.simulator.objects.delete({ apiVersion: 'v1', kind: 'Pod', namespace: 'shop', name: 'stranger' });
    await untilPods(2);
    timing.advance(16_000);
    expect(await resolve()).toMatchObject([{ kind: 'Deployment' }, { kind: 'Rocket', name: 'r' }]);
  });

  it.each([
    { name: 'a refusal', fault: { kind: 'Error', code: 403 } as const, path: '/apis' },
    { name: 'an unavailable list of groups', fault: { kind: 'Error', code: 503 } as const, path: '/apis' },
    { name: 'a connection that is cut', fault: { kind: 'Reset' } as const, path: '/apis' },
  ])('is a failed lookup for as long as discovery answers with $name', async ({ fault, path }) => {
    await resolve();
    const end = world.simulator.faults.add({ match: { path: new RegExp(`${path}(\\?.*)?$`) }, fault });
    for (let pass = 0; pass < 4; pass += 1) {
      timing.advance(31_000);
      expect(await resolve()).toHaveProperty('error');
    }
    end();
    await confirm();
  });
});

describe('an owner of a kind that vanished', () => {
  beforeEach(async () => {
    world.simulator.objects.create(aDefinition('Rocket'));
    const created = world.simulator.objects.create(rocketObject());
    await createPods(aPod('passenger', [{ ...rocket, uid: created.metadata.uid }]));
    expect(await resolve()).toMatchObject([{ kind: 'Deployment' }, { kind: 'Rocket' }]);
    world.simulator.objects.delete({
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      name: 'rockets.example.com',
    });
    timing.advance(16 * 60_000);
  });

  it('is a failed lookup for ten minutes: the kind may be being replaced', async () => {
    expect(await resolve()).toMatchObject(failed('Rocket'));
    for (let minute = 0; minute < 9; minute += 1) {
      timing.advance(60_000);
      expect(await resolve()).toHaveProperty('error');
    }
    timing.advance(61_000);
    expect(await resolve()).toMatchObject([{ kind: 'Deployment' }]);
  });

  it('stays a failed lookup for ten minutes when the kind comes back without its objects', async () => {
    expect(await resolve()).toMatchObject(failed('Rocket'));
    world.simulator.objects.create(aDefinition('Rocket'));
    world.simulator.objects.delete({ ...rocket, namespace: 'shop' });
    timing.advance(60_000);
    expect(await resolve()).toHaveProperty('error');
    timing.advance(9 * 60_000);
    expect(await resolve()).toMatchObject([{ kind: 'Deployment' }]);
  });
});

describe('an owner of a kind that a policy targets', () => {
  it('is a failed lookup for ten minutes, even where the kind was never served', async () => {
    const target = { apiVersion: 'example.com/v1', kind: 'Rocket', namespace: 'shop', name: 'r' };
    await world.kubernetes.scales.readScale({ target, freshness: 'Cached' }, never);
    await createPods(aPod('passenger', [rocket]));
    await resolve();
    for (let minute = 0; minute < 9; minute += 1) {
      timing.advance(60_000);
      expect(await resolve()).toHaveProperty('error');
    }
    timing.advance(61_000);
    expect(await resolve()).toMatchObject([{ kind: 'Deployment' }]);
  });
});

/** Two answers, far enough apart. */
async function confirm(): Promise<void> {
  await resolve();
  timing.advance(16_000);
  await resolve();
  timing.advance(31_000);
  expect(await resolve()).toMatchObject([{ kind: 'Deployment', name: 'checkout' }]);
}

function resolve(): Promise<OwnersReading> {
  return world.kubernetes.owners.resolveOwners({ policy: 'shop/checkout', namespace: 'shop', pods }, never);
}

async function createPods(...pods: readonly NewObject[]): Promise<void> {
  for (const pod of pods) world.simulator.objects.create(pod);
  await untilPods(world.simulator.objects.list({ apiVersion: 'v1', kind: 'Pod', namespace: 'shop' }).length);
}

async function untilPods(count: number): Promise<void> {
  await until(`${count} pods`, () => {
    const listing = world.kubernetes.pods.listPods(query);
    pods = listing.state === 'Synced' ? listing.pods : [];
    return pods.length === count;
  });
}

function deploymentReference() {
  const name = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'checkout' };
  const found = world.simulator.objects.find({ ...name, namespace: 'shop' });
  return { ...name, uid: found?.metadata.uid ?? '' };
}

function rocketObject(): NewObject {
  return {
    apiVersion: 'example.com/v1',
    kind: 'Rocket',
    metadata: { name: 'r', namespace: 'shop' },
    spec: { size: 1 },
  };
}
