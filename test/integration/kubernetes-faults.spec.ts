import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type Kubernetes, type KubernetesOptions, openKubernetes } from '#adapter-kubernetes';
import type { LiveAutoscaler, ReplicaChange, ScaleState, ScaleTarget } from '#reconciliation';
import { FakeLog } from '#reconciliation/testing';
import { type NewObject, type Simulator, startSimulator } from '#simulator';
import { eventually } from '../control-plane/poll.ts';
import { MovableTiming, startSimulatedKubernetes, until } from '../support/simulated-kubernetes.ts';

const timeoutMilliseconds = 45_000;
const query = { namespace: 'shop', selector: 'app=checkout' };
const target: ScaleTarget = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  namespace: 'shop',
  name: 'checkout',
};
const never = new AbortController().signal;

let simulator: Simulator;
let kubernetes: Kubernetes;
let log: FakeLog;

beforeEach(async () => {
  simulator = await startSimulator({ controllers: 'ApiOnly' });
  simulator.objects.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } });
  log = new FakeLog();
  kubernetes = open();
});

afterEach(async () => {
  await kubernetes.stop();
  await simulator.stop();
});

describe('a watch that goes wrong', () => {
  it('is resumed where it broke, without listing again', async () => {
    createPod('a');
    await start();
    await untilPods('a');
    const refusal = { kind: 'Error', code: 503, message: 'restarting' } as const;
    simulator.faults.add({ match: { verb: 'watch', path: '/api/v1/pods' }, fault: refusal, times: 1 });
    simulator.faults.add({
      match: { verb: 'watch', path: '/api/v1/pods' },
      fault: { kind: 'Reset' },
      times: 1,
    });
    simulator.faults.dropWatches();
    createPod('b');
    await untilPods('a', 'b');
    simulator.objects.delete({ apiVersion: 'v1', kind: 'Pod', namespace: 'shop', name: 'a' });
    await untilPods('b');
    expect(informer('pods')).toMatchObject({ lists: 1, isWatching: true });
  });

  it('lists again after 410, and forgets what went meanwhile', async () => {
    createPod('a');
    createPod('b');
    await start();
    const release = simulator.faults.add({
      match: { verb: 'watch' },
      fault: { kind: 'Error', code: 503, message: 'restarting' },
    });
    simulator.faults.dropWatches();
    simulator.objects.delete({ apiVersion: 'v1', kind: 'Pod', namespace: 'shop', name: 'a' });
    createPod('c');
    simulator.compact();
    release();
    await untilPods('b', 'c');
    expect(informer('pods').lists).toBe(2);
  });

  it('lists again when the pages expire under its hands', async () => {
    for (let index = 0; index < 600; index += 1) createPod(`p${index}`);
    simulator.faults.add({
      match: { path: /\/api\/v1\/pods\?.*continue=/ },
      fault: { kind: 'Gone' },
      times: 1,
    });
    await start();
    expect(kubernetes.health().pods).toBe(600);
    expect(informer('pods').lists).toBe(2);
  });

  it('waits out 429 while it lists', async () => {
    createPod('a');
    const refused = { kind: 'Error', code: 429, retryAfterSeconds: 1 } as const;
    simulator.faults.add({ match: { verb: 'list', path: '/api/v1/pods' }, fault: refused, times: 2 });
    await start();
    await untilPods('a');
    expect(informer('pods').lists).toBe(1);
  });

  it('survives streams that are cut in the middle of a line, again and again', async () => {
    await start();
    const release = simulator.faults.add({
      match: { verb: 'watch', path: '/api/v1/pods' },
      fault: { kind: 'DropWatch', afterLines: 1 },
    });
    simulator.faults.dropWatches();
    for (const name of ['a', 'b', 'c']) createPod(name);
    await untilPods('a', 'b', 'c');
    release();
    expect(log.lines.filter(({ level }) => level === 'error')).toEqual([]);
  });
});

describe('a cache that cannot be believed', () => {
  it('says that nothing has been listed yet, and why', async () => {
    simulator.faults.add({
      match: { verb: 'list', path: '/api/v1/pods' },
      fault: { kind: 'Error', code: 403, message: 'pods is forbidden' },
    });
    kubernetes.start();
    await expect(kubernetes.whenSynced(500)).rejects.toMatchObject({
      code: 'Timeout',
      message: expect.stringMatching(
        /^not listed within 500 ms: pods \(GET \/api\/v1\/pods: 403 .*forbidden/,
      ),
    });
    expect(kubernetes.pods.listPods(query)).toMatchObject({
      state: 'Unsynced',
      message: expect.stringContaining('403'),
    });
  });

  it('is not waited for where a Role refuses it and another namespace is listed', async () => {
    await kubernetes.stop();
    kubernetes = open({ namespaces: ['shop', 'bank'] });
    const inBank = { ...query, namespace: 'bank' };
    const grant = simulator.faults.add({
      match: { verb: 'list', path: '/api/v1/namespaces/bank/pods' },
      fault: { kind: 'Error', code: 403, message: 'cannot list resource "pods"' },
    });
    await start();
    expect(kubernetes.health().unlisted).toEqual([]);
    expect(kubernetes.pods.listPods(query)).toMatchObject({ state: 'Synced' });
    expect(kubernetes.pods.listPods(inBank)).toMatchObject({
      state: 'Unsynced',
      message: expect.stringContaining('cannot list resource "pods"'),
    });
    const refused = (): readonly unknown[] =>
      kubernetes.health().informers.filter(({ refusedSince }) => refusedSince !== undefined);
    expect(refused()).toMatchObject([{ resource: 'pods in bank' }]);
    grant();
    await eventually({
      description: 'pods of bank, and no refusal',
      timeoutMilliseconds,
      probe: () => {
        const isListed = kubernetes.pods.listPods(inBank).state === 'Synced' && refused().length === 0;
        return Promise.resolve(isListed ? true : undefined);
      },
    });
  });

  it('says that a namespace is not watched', async () => {
    await kubernetes.stop();
    kubernetes = open({ namespaces: ['shop'] });
    await start();
    createPod('a');
    await untilPods('a');
    expect(kubernetes.pods.listPods({ ...query, namespace: 'bank' })).toEqual({
      state: 'Unsynced',
      message: 'namespace bank is not watched',
    });
  });

  it('is not believed a minute after its watch broke', async () => {
    await kubernetes.stop();
    let offsetMilliseconds = 0;
    kubernetes = open({ timing: { ...realTiming, elapsed: () => performance.now() + offsetMilliseconds } });
    await start();
    await eventually({
      description: 'the watch to work',
      timeoutMilliseconds,
      intervalMilliseconds: 10,
      probe: () => Promise.resolve(informer('pods').isWatching ? true : undefined),
    });
    simulator.faults.add({ match: { verb: 'watch' }, fault: { kind: 'Error', code: 503, message: 'down' } });
    simulator.faults.dropWatches();
    await eventually({
      description: 'the server to refuse the watch',
      timeoutMilliseconds,
      intervalMilliseconds: 10,
      probe: () => Promise.resolve(informer('pods').lastFailure?.code === 'ServerError' ? true : undefined),
    });
    expect(kubernetes.pods.listPods(query).state).toBe('Synced');
    offsetMilliseconds = 62_000;
    expect(kubernetes.pods.listPods(query)).toMatchObject({
      state: 'Unsynced',
      message: expect.stringMatching(/^nothing has been heard of pods for 6\d s \(.*503 down\)$/),
    });
  });
});

describe('owners', () => {
  it('fall back as a whole when one lookup fails', async () => {
    createPod('a', { apiVersion: 'example.com/v1', kind: 'Rocket', name: 'r', uid: 'u' });
    await start();
    await untilPods('a');
    const listing = kubernetes.pods.listPods(query);
    const pods = listing.state === 'Synced' ? listing.pods : [];
    expect(
      await kubernetes.owners.resolveOwners({ policy: 'shop/checkout', namespace: 'shop', pods }, never),
    ).toMatchObject({
      error: { reason: 'OwnerLookupFailed', message: expect.stringContaining('Rocket') },
    });
  });

  it('are confirmed as gone by a live read, which is not repeated at once', async () => {
    createPod('a', { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'gone', uid: 'u' });
    await start();
    await untilPods('a');
    const listing = kubernetes.pods.listPods(query);
    const pods = listing.state === 'Synced' ? listing.pods : [];
    const ask = () =>
      kubernetes.owners.resolveOwners({ policy: 'shop/checkout', namespace: 'shop', pods }, never);
    expect(await Promise.all([ask(), ask()])).toEqual([[], []]);
    expect(await ask()).toEqual([]);
    expect(kubernetes.health().ownerCache).toEqual({
      hits: 1,
      misses: 2,
      evictions: 0,
      entries: 1,
      lookups: { watched: 0, found: 0, absent: 3, failed: 0 },
    });
  });

  it('are read again by a policy whose filter cache was cleared, and by no other', async () => {
    createPod('a', { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'gone', uid: 'u' });
    await start();
    await untilPods('a');
    const listing = kubernetes.pods.listPods(query);
    const pods = listing.state === 'Synced' ? listing.pods : [];
    const ask = (policy: string) =>
      kubernetes.owners.resolveOwners({ policy, namespace: 'shop', pods }, never);
    const reads = () => kubernetes.health().ownerCache;
    await ask('shop/checkout');
    kubernetes.owners.clearFilterCache('shop/checkout');
    await ask('shop/other');
    expect(reads()).toMatchObject({ hits: 1, misses: 1 });
    await ask('shop/checkout');
    expect(reads()).toMatchObject({ hits: 1, misses: 2 });
    await ask('shop/checkout');
    expect(reads()).toMatchObject({ hits: 2, misses: 2, entries: 1 });
  });

  it('of another uid than the reference are looked at live: one of the two is out of date', async () => {
    createDeployment();
    const owner = { apiVersion: 'apps/v1', kind: 'Deployment', name: target.name };
    createPod('a', { ...owner, uid: 'the-one-before' });
    await start();
    await untilPods('a');
    const listing = kubernetes.pods.listPods(query);
    const pods = listing.state === 'Synced' ? listing.pods : [];
    const { uid } = await readScale();
    const owners = await kubernetes.owners.resolveOwners(
      { policy: 'shop/checkout', namespace: 'shop', pods },
      never,
    );
    expect(owners).toMatchObject([{ ...owner, uid }]);
    expect(kubernetes.health().ownerCache).toMatchObject({ misses: 1 });
  });

  it('are not taken as gone when the read fails', async () => {
    createPod('a', { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'gone', uid: 'u' });
    await start();
    await untilPods('a');
    simulator.faults.add({
      match: { verb: 'get', path: '/apis/apps/v1/namespaces/shop/replicasets/gone' },
      fault: { kind: 'Error', code: 500, message: 'etcd is slow' },
    });
    const listing = kubernetes.pods.listPods(query);
    const pods = listing.state === 'Synced' ? listing.pods : [];
    expect(
      await kubernetes.owners.resolveOwners({ policy: 'shop/checkout', namespace: 'shop', pods }, never),
    ).toMatchObject({
      error: { message: expect.stringContaining('etcd is slow') },
    });
  });
});

describe('a write of a scale that goes wrong', () => {
  beforeEach(async () => {
    createDeployment();
    await start();
  });

  it.each([
    { name: 'a connection that is cut', fault: { kind: 'Reset' } as const, want: { outcome: 'Unknown' } },
    {
      name: 'a server error',
      fault: { kind: 'Error', code: 500 } as const,
      want: { outcome: 'Unknown', failure: { code: 'ServerError' } },
    },
    {
      name: 'a refusal',
      fault: { kind: 'Error', code: 403 } as const,
      want: { outcome: 'Failed', failure: { code: 'Forbidden' } },
    },
    {
      name: 'a conflict that does not end',
      fault: { kind: 'Error', code: 409, reason: 'Conflict' } as const,
      want: { outcome: 'Failed', failure: { code: 'UnfoundedConflict' } },
    },
  ])('$name is $want.outcome', async ({ fault, want }) => {
    const observed = await readScale();
    simulator.faults.add({ match: { verb: 'update', path: /\/scale/ }, fault });
    const outcome = await kubernetes.scales.writeScale({ target, observed, replicas: 5 }, never);
    expect(outcome).toMatchObject(want);
  });

  it('is tried again over a conflict that passes', async () => {
    const observed = await readScale();
    const conflict = { kind: 'Error', code: 409, reason: 'Conflict' } as const;
    simulator.faults.add({ match: { verb: 'update', path: /\/scale/ }, fault: conflict, times: 4 });
    const outcome = await kubernetes.scales.writeScale({ target, observed, replicas: 5 }, never);
    expect(outcome).toMatchObject({
      outcome: 'Written',
      state: { specReplicas: 5, writer: { manager: 'plimsoll' } },
    });
  });

  it('is not sent again after a conflict once it is unwanted', async () => {
    const observed = await readScale();
    const conflict = { kind: 'Error', code: 409, reason: 'Conflict' } as const;
    simulator.faults.add({ match: { verb: 'update', path: /\/scale/ }, fault: conflict, times: 1 });
    const left = { code: 'PolicyLeft', message: 'the policy is not in force any more', retryable: false };
    let looks = 0;
    const unwanted = (): typeof left | null => {
      looks += 1;
      return looks === 1 ? null : left;
    };
    const outcome = await kubernetes.scales.writeScale({ target, observed, replicas: 5, unwanted }, never);
    expect({ outcome, looks }).toEqual({ outcome: { outcome: 'Failed', failure: left }, looks: 2 });
    expect(await readScale()).toMatchObject({ specReplicas: 2 });
  });

  it('ends with the signal when the server hangs', async () => {
    const observed = await readScale();
    simulator.faults.add({ match: { verb: 'update', path: /\/scale/ }, fault: { kind: 'Hang' } });
    const controller = new AbortController();
    const write = kubernetes.scales.writeScale({ target, observed, replicas: 5 }, controller.signal);
    controller.abort(new Error('the pass is over'));
    await expect(write).rejects.toThrow('the pass is over');
  });

  it('does not touch an object that was made anew under the name', async () => {
    const observed = await readScale();
    simulator.objects.delete(target);
    createDeployment();
    const outcome = await kubernetes.scales.writeScale({ target, observed, replicas: 5 }, never);
    expect(outcome).toMatchObject({ outcome: 'Changed', state: { specReplicas: 2 } });
  });

  it('is seen at once by the next read, also while the watch lags', async () => {
    const observed = await readScale();
    simulator.faults.add({ match: { verb: 'watch' }, fault: { kind: 'Error', code: 503 } });
    simulator.faults.dropWatches();
    await kubernetes.scales.writeScale({ target, observed, replicas: 5 }, never);
    expect(await readScale()).toMatchObject({ specReplicas: 5 });
  });
});

describe('a 409 although nothing has changed', () => {
  const name = { namespace: 'shop', name: 'checkout' };
  const document = {
    apiVersion: 'autoscaling/v2',
    kind: 'HorizontalPodAutoscaler',
    metadata: name,
    spec: { maxReplicas: 5, scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'checkout' } },
  };
  const refuse = (verb: 'create' | 'update' | 'delete' | 'patch'): void => {
    simulator.faults.add({ match: { verb }, fault: { kind: 'Error', code: 409, reason: 'Conflict' } });
  };
  const unfounded = (why: string) => ({
    outcome: 'Failed',
    failure: { code: 'UnfoundedConflict', message: expect.stringContaining(`, though ${why}: `) },
  });
  const unwanted = () => null;

  beforeEach(async () => {
    createDeployment();
    await start();
  });

  async function makeHpa(): Promise<LiveAutoscaler> {
    const written = await kubernetes.autoscalers.createAutoscaler(document, never);
    if (written.outcome !== 'Written' || written.live === null) throw new Error('no HPA was made');
    return written.live;
  }

  it('is no conflict of an HPA that is made', async () => {
    refuse('create');
    const written = await kubernetes.autoscalers.createAutoscaler(document, never);
    expect(written).toMatchObject(unfounded('there is none of that name'));
  });

  it('is no conflict of an HPA that is replaced', async () => {
    const observed = await makeHpa();
    refuse('update');
    const write = { document: observed.document, observed, unwanted };
    const written = await kubernetes.autoscalers.replaceAutoscaler(write, never);
    const { resourceVersion } = observed.autoscaler;
    expect(written).toMatchObject(unfounded(`version ${resourceVersion} is the present one`));
  });

  it('is no conflict of an HPA that is deleted', async () => {
    const { uid } = (await makeHpa()).autoscaler;
    refuse('delete');
    const written = await kubernetes.autoscalers.deleteAutoscaler({ ...name, uid }, never);
    expect(written).toMatchObject(unfounded(`uid ${uid} is the present one`));
  });

  it('leaves it unknown whether a version of an HPA or of a scale is a former one', async () => {
    const [live, observed] = [await makeHpa(), await readScale()];
    refuse('update');
    refuse('patch');
    const said = {
      kind: 'Unknown',
      message: expect.stringMatching(/409 .*, though version \d+ is the present/),
    };
    expect(await kubernetes.autoscalers.retireVersion({ live, unwanted }, never)).toMatchObject(said);
    expect(await kubernetes.scales.retireVersion({ target, observed, unwanted }, never)).toMatchObject(said);
  });
});

describe('changes of replicas', () => {
  it('are reported once each, with their field manager, also over a gap', async () => {
    createDeployment();
    const changes: ReplicaChange[] = [];
    kubernetes.replicaChanges.subscribe((change) => changes.push(change));
    await start();
    simulator.objects.scale(target, 3, 'kubectl');
    simulator.objects.scale(target, 4, 'argocd');
    await eventually({
      description: 'both changes',
      timeoutMilliseconds,
      intervalMilliseconds: 10,
      probe: () => Promise.resolve(changes.length === 2 ? true : undefined),
    });
    const release = simulator.faults.add({ match: { verb: 'watch' }, fault: { kind: 'Error', code: 503 } });
    simulator.faults.dropWatches();
    simulator.objects.scale(target, 7, 'kubectl');
    simulator.objects.scale(target, 9, 'kubectl');
    simulator.compact();
    release();
    await eventually({
      description: 'the change over the gap',
      timeoutMilliseconds,
      intervalMilliseconds: 10,
      probe: () => Promise.resolve(changes.length === 3 ? true : undefined),
    });
    expect(changes).toMatchObject([
      { target, from: 2, to: 3, manager: 'kubectl' },
      { target, from: 3, to: 4, manager: 'argocd' },
      { target, from: 4, to: 9, manager: 'kubectl' },
    ]);
  });
});

const realTiming = {
  now: () => Date.now(),
  elapsed: () => performance.now(),
  random: () => 0,
  wait: (ms: number, signal?: AbortSignal) =>
    new Promise<void>((resolve, reject) => {
      const timer = setTimeout(resolve, ms);
      signal?.addEventListener('abort', () => {
        clearTimeout(timer);
        reject(new Error('aborted'));
      });
    }),
};

function open(options: Partial<KubernetesOptions> = {}): Kubernetes {
  return openKubernetes({
    connection: { kind: 'Explicit', kubeconfig: simulator.kubeconfigYaml },
    namespaces: ['*'],
    log,
    ...options,
  });
}

async function start(): Promise<void> {
  kubernetes.start();
  await kubernetes.whenSynced(timeoutMilliseconds);
}

function informer(resource: string) {
  const status = kubernetes.health().informers.find((one) => one.resource === resource);
  if (status === undefined) throw new Error(`no informer of ${resource}`);
  return status;
}

async function untilPods(...names: readonly string[]): Promise<void> {
  await eventually({
    description: `the pods ${names.join(', ')}`,
    timeoutMilliseconds,
    intervalMilliseconds: 10,
    probe: () => {
      const listing = kubernetes.pods.listPods(query);
      const found = listing.state === 'Synced' ? listing.pods.map(({ name }) => name).toSorted() : [];
      return Promise.resolve(found.join() === names.join() ? true : undefined);
    },
  });
}

async function readScale(): Promise<ScaleState> {
  const reading = await kubernetes.scales.readScale({ target, freshness: 'Cached' }, never);
  if ('error' in reading) throw new Error(reading.error.message);
  return reading.state;
}

function createPod(
  name: string,
  owner?: NonNullable<NewObject['metadata']['ownerReferences']>[number],
): void {
  simulator.objects.create({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      namespace: 'shop',
      labels: { app: 'checkout' },
      ...(owner === undefined ? {} : { ownerReferences: [owner] }),
    },
    spec: { containers: [{ name: 'application', image: 'none' }] },
  });
}

function createDeployment(): void {
  simulator.objects.create({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: target.name, namespace: target.namespace },
    spec: {
      replicas: 2,
      selector: { matchLabels: { app: 'checkout' } },
      template: {
        metadata: { labels: { app: 'checkout' } },
        spec: { containers: [{ name: 'application', image: 'none' }] },
      },
    },
  });
}

describe('events', () => {
  const event = {
    subject: target,
    type: 'Warning',
    reason: 'FailedGetScale',
    message: 'no \u202esuch\u001b[2J scale',
    time: '2026-11-20T12:00:00.000Z',
  } as const;

  it('that cannot be written are dropped and counted, and the next one is written, in signs that steer no terminal', async () => {
    simulator.faults.add({ match: { path: /events/ }, fault: { kind: 'Error', code: 500 }, times: 1 });
    kubernetes.events.emit(event);
    kubernetes.events.emit(event);
    kubernetes.events.emit(event);
    await eventually({
      description: 'three events to be dealt with',
      timeoutMilliseconds,
      intervalMilliseconds: 10,
      probe: () => {
        const { delivered, dropped } = kubernetes.health().events;
        return Promise.resolve(delivered + dropped === 3 ? true : undefined);
      },
    });
    expect(kubernetes.health().events).toEqual({ delivered: 2, dropped: 1 });
    const message = String.raw`no \u202esuch\u001b[2J scale`;
    expect(simulator.objects.list({ apiVersion: 'v1', kind: 'Event', namespace: 'shop' })).toMatchObject([
      { reason: 'FailedGetScale', message, count: 2, involvedObject: { name: 'checkout' } },
    ]);
  });

  it('beyond the budget of an object are dropped', () => {
    for (let index = 0; index < 40; index += 1) kubernetes.events.emit({ ...event, message: String(index) });
    expect(kubernetes.health().events.dropped).toBe(15);
  });

  it('that keep coming are counted up once in five minutes from the fifth on, and leave room for others', async () => {
    const timing = new MovableTiming();
    const world = await startSimulatedKubernetes({ timing });
    const { events } = world.kubernetes;
    const counts = (): unknown[] =>
      world.simulator.objects
        .list({ apiVersion: 'v1', kind: 'Event', namespace: 'shop' })
        .map((one) => (one as unknown as { readonly count: number }).count);
    try {
      for (let index = 1; index <= 5; index += 1) {
        events.emit(event);
        await until('the event', () => world.kubernetes.health().events.delivered === index);
      }
      for (let index = 0; index < 40; index += 1) events.emit(event);
      expect(world.kubernetes.health().events).toEqual({ delivered: 5, dropped: 0 });
      expect(counts()).toEqual([5]);
      timing.advance(300_000);
      events.emit(event);
      await until('the count', () => world.kubernetes.health().events.delivered === 6);
      expect(counts()).toEqual([46]);
    } finally {
      await world.stop();
    }
  });
});
