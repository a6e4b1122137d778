import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Kubernetes } from '#adapter-kubernetes';
import type { ReplicaChange, ScaleState, ScaleTarget } from '#reconciliation';
import type { Simulator } from '#simulator';
import {
  aDefinition,
  MovableTiming,
  type SimulatedKubernetes,
  startSimulatedKubernetes,
  until,
} from '../support/simulated-kubernetes.ts';

const kind = { apiVersion: 'example.com/v1', kind: 'Rollout' };
const rollout: ScaleTarget = { ...kind, namespace: 'shop', name: 'checkout' };
const never = new AbortController().signal;

let timing: MovableTiming;
let world: SimulatedKubernetes;
let kubernetes: Kubernetes;
let simulator: Simulator;

beforeEach(async () => {
  timing = new MovableTiming();
  world = await startSimulatedKubernetes({ timing });
  ({ kubernetes, simulator } = world);
  simulator.objects.create(aDefinition('Rollout'));
  simulator.runPending();
  simulator.objects.create({
    ...kind,
    metadata: { name: 'checkout', namespace: 'shop' },
    spec: { size: 2, count: 9 },
    status: { size: 2, labelSelector: 'app=checkout' },
  });
});
afterEach(() => world.stop());

describe('a custom resource with a scale', () => {
  it('is read once, and again only after it changed', async () => {
    expect(await read()).toMatchObject({ specReplicas: 2 });
    await untilWatched();
    expect(await read()).toMatchObject({ specReplicas: 2 });
    simulator.faults.add({ match: { path: /rollouts/, verb: 'get' }, fault: { kind: 'Error', code: 500 } });
    expect(await read()).toMatchObject({ specReplicas: 2 });
    simulator.faults.clear();
    simulator.objects.scale(rollout, 6, 'kubectl');
    await until('the new count', () => kubernetes.scales.cachedScale(rollout)?.specReplicas === 6);
  });

  it('is written, and its changes are reported', async () => {
    const changes = replicaChanges();
    const observed = await read();
    await untilWatched();
    expect(await write(observed, 4)).toMatchObject({ outcome: 'Written', state: { specReplicas: 4 } });
    simulator.objects.scale(rollout, 6, 'kubectl');
    await until('both changes', () => changes.length === 2);
    expect(changes).toMatchObject([
      { from: 2, to: 4, manager: 'plimsoll' },
      { from: 4, to: 6, manager: 'kubectl' },
    ]);
  });

  it('is not written on what was observed before its definition named another field for the count', async () => {
    const changes = replicaChanges();
    await read();
    await untilWatched();
    const {
      apiVersion,
      kind: definition,
      metadata,
      ...renamed
    } = aDefinition('Rollout', {
      specReplicasPath: '.spec.count',
    });
    const name = { apiVersion, kind: definition, name: metadata.name ?? '' };
    simulator.objects.update(name, (live) => ({ ...live, ...renamed }));
    simulator.runPending();
    const observed = await read();
    expect(observed).toMatchObject({ specReplicas: 2 });
    expect(await write(observed, 4)).toMatchObject({
      outcome: 'Changed',
      state: { specReplicas: 9, resourceVersion: observed.resourceVersion },
    });
    const present = await read();
    expect(present).toMatchObject({ specReplicas: 9 });
    expect(await write(present, 8)).toMatchObject({ outcome: 'Written' });
    expect(changes).toMatchObject([{ from: 9, to: 8, manager: 'plimsoll' }]);
  });

  it.each([
    { status: 403, code: 'Forbidden' },
    { status: 503, code: 'NotReadBefore' },
    { status: 401, code: 'Unauthorized' },
  ])('is not written where it cannot be read again before ($status)', async ({ status, code }) => {
    const observed = await read();
    await untilWatched();
    simulator.faults.add({ match: { path: /scale/, verb: 'get' }, fault: { kind: 'Error', code: status } });
    const message = expect.stringMatching(`^its scale could not be read before the write: .*${status}`);
    expect(await write(observed, 4)).toMatchObject({ outcome: 'Failed', failure: { code, message } });
    expect(await read()).toMatchObject({ specReplicas: 2 });
  });
});

describe('an object of the whole cluster', () => {
  beforeEach(() => {
    simulator.objects.create(aDefinition('Fleet', { scope: 'Cluster' }));
    simulator.runPending();
  });

  function isNoTarget(kindName: string): object {
    const message = `a ${kindName} of example.com/v1 belongs to no namespace, and is not scaled`;
    return { error: { message }, cause: 'NotFound' };
  }

  it('is not scaled by a policy of any namespace', async () => {
    const fleet = { apiVersion: 'example.com/v1', kind: 'Fleet' };
    simulator.objects.create({ ...fleet, metadata: { name: 'checkout' }, spec: { size: 2 } });
    const target = { ...rollout, ...fleet };
    expect(await kubernetes.scales.readScale({ target, freshness: 'Cached' }, never)).toMatchObject(
      isNoTarget('Fleet'),
    );
    const observed = { uid: 'u', resourceVersion: '1', specReplicas: 2, statusReplicas: 2, selector: '' };
    expect(await kubernetes.scales.writeScale({ target, observed, replicas: 4 }, never)).toMatchObject({
      outcome: 'Failed',
      failure: { code: 'NotNamespaced', retryable: false },
    });
  });

  it('is known as one at once where a definition is replaced', async () => {
    await read();
    await untilWatched();
    const definition = aDefinition('Rollout', { scope: 'Cluster' });
    const { apiVersion, kind: ofDefinition, metadata } = definition;
    simulator.objects.delete({ apiVersion, kind: ofDefinition, name: metadata.name ?? '' });
    simulator.runPending();
    simulator.objects.create(definition);
    simulator.runPending();
    simulator.objects.create({ ...kind, metadata: { name: 'checkout' }, spec: { size: 2 } });
    expect(await kubernetes.scales.readScale({ target: rollout, freshness: 'Live' }, never)).toMatchObject(
      isNoTarget('Rollout'),
    );
  });
});

describe('a target without its definition', () => {
  const definition = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition' };
  const name = 'rollouts.example.com';

  async function causeOf(): Promise<unknown> {
    const reading = await kubernetes.scales.readScale({ target: rollout, freshness: 'Live' }, never);
    return 'error' in reading ? reading.cause : reading.state;
  }

  it('is gone once its kind has not been served for ten minutes', async () => {
    await read();
    simulator.objects.delete({ ...definition, name });
    simulator.runPending();
    expect(await causeOf()).toBe('Failed');
    timing.advance(590_000);
    expect(await causeOf()).toBe('Failed');
    timing.advance(20_000);
    expect(await causeOf()).toBe('NotFound');
  });
});

function replicaChanges(): readonly ReplicaChange[] {
  const changes: ReplicaChange[] = [];
  kubernetes.replicaChanges.subscribe((change) => changes.push(change));
  return changes;
}

async function read(): Promise<ScaleState> {
  const reading = await kubernetes.scales.readScale({ target: rollout, freshness: 'Cached' }, never);
  if ('error' in reading) throw new Error(reading.error.message);
  return reading.state;
}

function write(observed: ScaleState, replicas: number): ReturnType<Kubernetes['scales']['writeScale']> {
  return kubernetes.scales.writeScale({ target: rollout, observed, replicas }, never);
}

function untilWatched(): Promise<true> {
  const isWatching = (): boolean =>
    kubernetes
      .health()
      .informers.some(({ resource, isWatching: is }) => resource.startsWith('rollouts') && is);
  return until('rollouts to be watched', isWatching);
}
