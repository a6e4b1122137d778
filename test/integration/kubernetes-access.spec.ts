import { afterEach, describe, expect, it } from '@jest/globals';
import type { KubernetesOptions } from '#adapter-kubernetes';
import type { KubernetesEvent, LogLine, ReplicaChange, ScaleState } from '#reconciliation';
import {
  aDeployment,
  aPod,
  type SimulatedKubernetes,
  startSimulatedKubernetes,
  until,
} from '../support/simulated-kubernetes.ts';

const never = new AbortController().signal;
const inShop = { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'shop', name: 'checkout' };
const inBank = { ...inShop, namespace: 'bank' };
const refused = expect.stringContaining('namespace bank is not among the configured namespaces');

let world: SimulatedKubernetes;

afterEach(() => world.stop());

describe('a namespace that is not managed', () => {
  it('tells the cluster from others all the same, where it is kube-system', async () => {
    await start({ namespaces: ['shop'] });
    const uid = await world.kubernetes.clusterUid();
    expect(uid).toMatch(/^[0-9a-f-]{36}$/);
    world.simulator.faults.add({
      match: { path: /kube-system/ },
      fault: { kind: 'Error', code: 403, message: 'forbidden' },
    });
    await expect(world.kubernetes.clusterUid()).rejects.toMatchObject({ code: 'Forbidden' });
  });

  it('is neither read nor written, and the reason says so', async () => {
    await start({ namespaces: ['shop'] });
    const { scales, owners, createClient } = world.kubernetes;
    world.simulator.faults.add({ match: { path: /bank/ }, fault: { kind: 'Reset' } });
    const reading = await scales.readScale({ target: inBank, freshness: 'Live' }, never);
    expect(reading).toMatchObject({ error: { reason: 'FailedGetScale', message: refused }, cause: 'Failed' });
    const write = { target: inBank, observed: observedScale, replicas: 9 };
    expect(await scales.writeScale(write, never)).toMatchObject({
      outcome: 'Failed',
      failure: { code: 'NamespaceNotManaged', retryable: false, message: refused },
    });
    const owner = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'checkout', uid: 'u' };
    const pods = [{ name: 'a', uid: 'a', labels: {}, ownerReferences: [owner] }];
    const query = { policy: 'bank/checkout', namespace: 'bank', pods };
    expect(await owners.resolveOwners(query, never)).toMatchObject({
      error: { reason: 'OwnerLookupFailed', message: refused },
    });
    const metrics = createClient(1).json({ path: '/apis/metrics.k8s.io/v1beta1/namespaces/bank/pods' });
    await expect(metrics).rejects.toMatchObject({ code: 'NamespaceNotManaged' });
  });

  it('gets no events', async () => {
    await start({ namespaces: ['shop'] });
    world.kubernetes.events.emit(eventOn(inBank));
    world.kubernetes.events.emit(eventOn(inShop));
    await delivered(1);
    expect(events()).toMatchObject([{ involvedObject: { namespace: 'shop' } }]);
  });
});

describe('a Role that does not allow kinds of targets', () => {
  it('is told once per kind, and their scales are read one by one', async () => {
    await start({ namespaces: ['shop', 'bank'] });
    const lists = { verb: ['list', 'watch'], path: /\/(deployments|statefulsets)(\?|$)/ } as const;
    world.simulator.faults.add({ match: lists, fault: { kind: 'Error', code: 403 } });
    world.simulator.faults.dropWatches();
    const refused = () =>
      world.log.lines.filter(({ level, fields }) => level === 'warn' && fields['code'] === 'Forbidden');
    await until('both kinds are told', () => refused().length === 2);
    const kinds = [expect.stringMatching(/^deployments /), expect.stringMatching(/^statefulsets /)];
    expect(refused().map(({ fields }) => fields['resource'])).toEqual(expect.arrayContaining(kinds));
    const { informers } = world.kubernetes.health();
    expect(informers.some(({ refusedSince }) => refusedSince !== undefined)).toBe(true);
    const reading = await world.kubernetes.scales.readScale({ target: inShop, freshness: 'Cached' }, never);
    expect(reading).toMatchObject({ state: { specReplicas: 2 } });
  });
});

describe('a Role that does not allow Events', () => {
  const said = 'events is forbidden: User "plimsoll" cannot create resource "events" in API group "" here';
  const unauthorized = { kind: 'Error', code: 403, message: said } as const;
  const refusals = () => world.log.lines.filter(({ text }) => text === 'a Role does not allow Events');

  it('is told once per verb and namespace, and again known until one is written', async () => {
    await start({ namespaces: ['shop', 'bank'] });
    const allow = world.simulator.faults.add({
      match: { verb: 'create', path: /namespaces\/shop\/events/ },
      fault: unauthorized,
    });
    const { events: recorder } = world.kubernetes;
    recorder.emit(eventOn(inShop));
    recorder.emit(eventOn(inShop));
    recorder.emit(eventOn(inBank));
    await delivered(3);
    expect(refusals()).toMatchObject([
      {
        level: 'warn',
        fields: { verb: 'create', namespace: 'shop', message: expect.stringContaining('403') },
      },
    ]);
    expect(world.kubernetes.health().events.refusedSince).toEqual(expect.any(Number));
    allow();
    recorder.emit(eventOn(inShop));
    await delivered(4);
    expect(world.kubernetes.health().events).toEqual({ delivered: 2, dropped: 2, refusedSince: undefined });
  });

  it('names the verb that counts events up', async () => {
    await start({ namespaces: ['shop'] });
    world.simulator.faults.add({
      match: { verb: 'patch', path: /events/ },
      fault: unauthorized,
    });
    world.kubernetes.events.emit(eventOn(inShop));
    world.kubernetes.events.emit(eventOn(inShop));
    await until('the refusal', () => refusals().length > 0);
    expect(refusals()).toMatchObject([{ fields: { verb: 'patch', namespace: 'shop' } }]);
  });

  it('is not told where it is no Role, which the log says', async () => {
    await start({ namespaces: ['shop'] });
    const quota = 'events "web.1" is forbidden: exceeded quota: small, requested: count/events=1';
    const fault = { kind: 'Error', code: 403, message: quota } as const;
    world.simulator.faults.add({ match: { path: /events/ }, fault });
    world.kubernetes.events.emit(eventOn(inShop));
    await until('it was tried', () => world.kubernetes.health().events.dropped === 1);
    expect([refusals(), world.kubernetes.health().events.refusedSince]).toEqual([[], undefined]);
    expect(world.log.lines.filter(({ text }) => text === 'the API server refuses Events')).toMatchObject([
      { level: 'warn', fields: { namespace: 'shop', message: expect.stringContaining(quota) } },
    ]);
  });

  it('is not told in a namespace that is being deleted', async () => {
    await start({ namespaces: ['shop'] });
    const message =
      'events "web.1" is forbidden: unable to create new content in namespace shop because it is being terminated';
    world.simulator.faults.add({ match: { path: /events/ }, fault: { kind: 'Error', code: 403, message } });
    world.kubernetes.events.emit(eventOn(inShop));
    await until('it was tried', () => world.kubernetes.health().events.dropped === 1);
    expect(world.log.lines.filter(({ level }) => level === 'warn')).toEqual([]);
    expect(world.kubernetes.health().events.refusedSince).toBeUndefined();
  });

  it('is not told of failures that pass', async () => {
    await start({ namespaces: ['shop'] });
    world.simulator.faults.add({ match: { path: /events/ }, fault: { kind: 'Error', code: 503 } });
    world.kubernetes.events.emit(eventOn(inShop));
    await until('it was tried', () => world.kubernetes.health().events.dropped === 1);
    expect([refusals(), world.kubernetes.health().events.refusedSince]).toEqual([[], undefined]);
  });
});

describe('a controller that only observes', () => {
  it('writes nothing: no scale, and no events', async () => {
    await start({ isReadOnly: true });
    const { scales } = world.kubernetes;
    const reading = await scales.readScale({ target: inShop, freshness: 'Live' }, never);
    const observed = 'state' in reading ? reading.state : observedScale;
    const writes = ['create', 'update', 'patch', 'delete'] as const;
    world.simulator.faults.add({ match: { verb: writes }, fault: { kind: 'Reset' } });
    expect(await scales.writeScale({ target: inShop, observed, replicas: 9 }, never)).toMatchObject({
      outcome: 'Failed',
      failure: { code: 'ReadOnly' },
    });
    world.kubernetes.events.emit(eventOn(inShop));
    expect(world.kubernetes.health().events).toMatchObject({ delivered: 0, dropped: 0 });
    expect(world.simulator.objects.find(inShop)).toMatchObject({ spec: { replicas: 2 } });
  });
});

describe('ReplicaSets', () => {
  it('are watched once, also when a policy targets one', async () => {
    await start({});
    const replicaSet = aDeployment('standalone');
    world.simulator.objects.create({ ...replicaSet, kind: 'ReplicaSet' });
    const target = { ...inShop, kind: 'ReplicaSet', name: 'standalone' };
    const read = () => world.kubernetes.scales.readScale({ target, freshness: 'Cached' }, never);
    expect(await read()).toMatchObject({ state: { specReplicas: 2 } });
    const changes: ReplicaChange[] = [];
    world.kubernetes.replicaChanges.subscribe((change) => changes.push(change));
    world.simulator.objects.scale(target, 5, 'kubectl');
    await until('the change', () => changes.length === 1);
    expect(changes).toMatchObject([{ target, from: 2, to: 5, manager: 'kubectl' }]);
    const { informers } = world.kubernetes.health();
    expect(informers.filter(({ resource }) => resource === 'replicasets')).toHaveLength(1);
  });
});

describe('the log', () => {
  it('has one line for all watches that begin, and one for all that work again', async () => {
    const namespaces = ['shop', 'bank', 'a', 'b', 'c', 'd', 'e', 'f'];
    await start({ namespaces });
    await lines(1);
    world.simulator.faults.add({ match: { verb: 'watch' }, fault: { kind: 'Error', code: 503 }, times: 48 });
    world.simulator.faults.dropWatches();
    await lines(3);
    expect(world.log.lines.filter(({ level }) => level !== 'debug')).toMatchObject([
      { level: 'info', text: 'watching', fields: { watches: 48 } },
      { level: 'warn', text: 'watch interrupted', fields: { code: 'ServerError' } },
      { level: 'info', text: 'watching again', fields: { watches: 48 } },
    ]);
  });

  it('has debug lines for each list and each watch that ends as agreed', async () => {
    await start({ namespaces: ['shop'] });
    await lines(1);
    world.simulator.faults.dropWatches();
    const debugged = (text: string): readonly LogLine[] =>
      world.log.lines.filter((line) => line.level === 'debug' && line.text === text);
    await until('watches that ended', () => debugged('watch ended').length > 0);
    expect(debugged('listed')).toContainEqual({
      level: 'debug',
      text: 'listed',
      fields: { resource: 'pods in shop', objects: 0, milliseconds: expect.any(Number) },
    });
    expect(debugged('watch ended')[0]?.fields).toMatchObject({
      resource: expect.any(String),
      events: expect.any(Number),
    });
  });
});

async function start(options: Partial<KubernetesOptions>): Promise<void> {
  world = await startSimulatedKubernetes(options);
  for (const namespace of ['shop', 'bank']) {
    const deployment = aDeployment('checkout');
    world.simulator.objects.create({ ...deployment, metadata: { ...deployment.metadata, namespace } });
  }
  world.simulator.objects.create(aPod('a'));
}

const observedScale: ScaleState = {
  uid: 'u',
  resourceVersion: '1',
  specReplicas: 2,
  statusReplicas: 2,
  selector: 'app=checkout',
};

function eventOn(subject: KubernetesEvent['subject']): KubernetesEvent {
  const time = '2026-11-20T12:00:00.000Z';
  return { subject, type: 'Normal', reason: 'StrategyChanged', message: 'changed', time };
}

function events() {
  return ['shop', 'bank'].flatMap((namespace) =>
    world.simulator.objects.list({ apiVersion: 'v1', kind: 'Event', namespace }),
  );
}

async function delivered(count: number): Promise<void> {
  await until('the events', () => {
    const { delivered: done, dropped } = world.kubernetes.health().events;
    return done + dropped === count;
  });
}

/** Waits until the log has as many lines; those for debugging are not counted. */
async function lines(count: number): Promise<void> {
  await until(
    `${count} lines`,
    () => world.log.lines.filter(({ level }) => level !== 'debug').length === count,
  );
}
