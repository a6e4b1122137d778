import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, it, jest } from '@jest/globals';
import { stringify } from 'yaml';
import { openKubernetes } from '#adapter-kubernetes';
import { FakeLog } from '#reconciliation/testing';
import { type ControlPlane, startControlPlane } from '../control-plane/control-plane.ts';
import { eventually } from '../control-plane/poll.ts';
import { expectOneRecovery, type FaultRow } from '../support/fault-row.ts';
import { calmReplicas, FastTiming, type FaultCluster, FaultWorld, names } from '../support/fault-world.ts';
import { FaultyProxy, isWatch, type ProxyFault } from '../support/faulty-proxy.ts';
import { aDeployment } from '../support/simulated-kubernetes.ts';

jest.setTimeout(120_000);

/** A namespace of the real API server, seen through a proxy. */
interface RealFaults extends FaultCluster {
  readonly proxy: FaultyProxy;
  readonly makeTarget: (name: string) => Promise<void>;
  readonly removeTarget: (name: string) => Promise<void>;
  readonly makeNamespace: () => Promise<void>;
  readonly removeNamespace: () => Promise<void>;
  /** Changes a target, and not its count. */
  readonly touch: (name: string) => Promise<void>;
}

type World = FaultWorld<RealFaults>;

const isWrite = ({ method, path }: { readonly method: string; readonly path: string }): boolean =>
  method !== 'GET' && path.includes('/scale');
const everyRequest =
  (fault: ProxyFault) =>
  ({ cluster }: World) =>
    cluster.proxy.add(() => true, fault);
const everyWrite =
  (fault: ProxyFault) =>
  ({ cluster }: World) =>
    cluster.proxy.add(isWrite, fault);

const rows: readonly FaultRow<RealFaults>[] = [
  { name: 'a slow API server', strike: everyRequest({ kind: 'Slow', milliseconds: 100 }), affected: [] },
  {
    name: '429 for every write',
    strike: everyWrite({ kind: 'Answer', status: 429 }),
    affected: names,
    says: /^Stalled\/WriteRefused: could not scale .*429/,
  },
  {
    name: '503 for every request',
    strike: everyRequest({ kind: 'Answer', status: 503 }),
    affected: names,
    says: /^(Waiting\/WriteInDoubt|Failed\/FailedUpdateScale): .*503/,
  },
  {
    name: 'a target that others change before every write',
    strike: ({ cluster }) =>
      cluster.proxy.add(isWrite, {
        kind: 'After',
        act: (path) => cluster.touch(/deployments\/([^/]+)\/scale/.exec(path)?.[1] ?? ''),
      }),
    affected: names,
    says: /^Failed\/FailedUpdateScale: .*409/,
  },
  {
    name: 'connections that are half open',
    strike: everyRequest({ kind: 'Hang' }),
    affected: names,
    says: /^(Waiting\/WriteInDoubt: a write was sent and not answered|Failed\/PassTimedOut: .* for the (write|GET) of the scale of Deployment p\d)/,
  },
  {
    name: 'connections that are cut',
    strike: everyRequest({ kind: 'Cut' }),
    affected: names,
    says: /^(Waiting\/WriteInDoubt|Failed\/FailedUpdateScale): .*UND_ERR_SOCKET/,
  },
  {
    name: 'credentials that the API server does not take any more',
    strike: everyRequest({ kind: 'Unauthenticated' }),
    affected: names,
    says: /^Failed\/FailedUpdateScale: .*401/,
  },
  {
    name: 'a client certificate that has expired',
    strike: everyRequest({ kind: 'ExpiredCertificate' }),
    affected: names,
    says: /^Failed\/FailedUpdateScale: .*401/,
  },
  {
    name: 'an API server that is gone, and comes back without the history of its watches',
    strike: async () => {
      await controlPlane.stopComponent('kube-apiserver');
      return () => controlPlane.startComponent('kube-apiserver');
    },
    affected: names,
    says: /^(Waiting\/WriteInDoubt|Failed\/FailedUpdateScale): .*UND_ERR_SOCKET/,
  },
  {
    name: 'a clock that jumps an hour ahead',
    strike: ({ clock }) => {
      clock.setWall(3_600_000);
      return () => undefined;
    },
    affected: [],
  },
  {
    name: 'a clock that jumps an hour back',
    strike: ({ clock }) => {
      clock.setWall(-3_600_000);
      return () => undefined;
    },
    affected: [],
  },
  {
    name: 'watches that are dropped and cannot be resumed',
    strike: ({ cluster: { proxy } }) => {
      const told = new Set<string>();
      const release = proxy.add(
        (request) => {
          const resource = request.path.split('?')[0] ?? '';
          const isFirst = isWatch(request) && !told.has(resource);
          if (isFirst) told.add(resource);
          return isFirst;
        },
        { kind: 'Answer', status: 410 },
      );
      proxy.dropWatches();
      return release;
    },
    affected: [],
  },
  {
    name: 'watches that are refused for over a minute',
    strike: ({ cluster: { proxy, timing } }) => {
      const isListOrWatch = ({ path }: { readonly path: string }): boolean => path.includes('?');
      const release = proxy.add(isListOrWatch, { kind: 'Answer', status: 503 });
      proxy.dropWatches();
      timing.advance(62_000);
      return release;
    },
    affected: names,
    says: /^Waiting\/CacheNotSynced: nothing has been heard/,
  },
  {
    name: 'a namespace that is deleted, and made anew',
    strike: async ({ cluster }) => {
      await cluster.removeNamespace();
      return async () => {
        await cluster.makeNamespace();
        for (const name of names) await cluster.makeTarget(name);
      };
    },
    affected: names,
    says: /^Failed\/FailedGetScale: .*404/,
  },
  {
    name: 'a target that is deleted, and made again under its name',
    strike: async ({ cluster }) => {
      await cluster.removeTarget('p0');
      return () => cluster.makeTarget('p0');
    },
    affected: ['p0'],
    says: /^Failed\/FailedGetScale: .*404/,
  },
  {
    name: 'a target that is renamed, and back',
    strike: async ({ cluster }) => {
      await cluster.removeTarget('p0');
      await cluster.makeTarget('renamed');
      return () => cluster.makeTarget('p0');
    },
    affected: ['p0'],
    says: /^Failed\/FailedGetScale: .*404/,
  },
];

let controlPlane: ControlPlane;
let world: World;

beforeAll(async () => {
  controlPlane = await startControlPlane({ components: ['kube-controller-manager'] });
});
afterAll(() => controlPlane.stop());

beforeEach(async () => {
  world = await FaultWorld.start(await realFaults());
  world.want(calmReplicas);
  await world.pass();
});
afterEach(() => world.stop());

it.each(rows)(
  '$name: nothing scales by accident, who is affected says why and since when, and all recover once',
  (row) => expectOneRecovery(world, row),
);

async function realFaults(): Promise<RealFaults> {
  const namespace = `shop-${randomUUID().slice(0, 8)}`;
  const { api } = controlPlane;
  const proxy = await FaultyProxy.start(controlPlane);
  const deployments = `/apis/apps/v1/namespaces/${namespace}/deployments`;
  const ask = async (method: 'POST' | 'PATCH' | 'DELETE', path: string, body?: object): Promise<void> => {
    const { status, body: answer } = await api({ method, path, ...(body && { body }) });
    if (status >= 300) throw new Error(`${method} ${path}: ${status} ${JSON.stringify(answer)}`);
  };
  const untilGone = (path: string): Promise<true> =>
    eventually({
      description: `${path} to be gone`,
      timeoutMilliseconds: 60_000,
      probe: async () => (await api({ path })).status === 404 || undefined,
    });
  const remove = async (path: string): Promise<void> => {
    await ask('DELETE', path);
    await untilGone(path);
  };
  const makeNamespace = (): Promise<void> =>
    ask('POST', '/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  const makeTarget = (name: string): Promise<void> => {
    const { metadata, ...deployment } = aDeployment(name, calmReplicas, name);
    return ask('POST', deployments, { ...deployment, metadata: { ...metadata, namespace } });
  };
  await makeNamespace();
  for (const name of names) await makeTarget(name);

  // Sees what the API server does, whatever becomes of the controller's own connections.
  const observer = openKubernetes({
    connection: { kind: 'Kubeconfig', path: controlPlane.kubeconfigPath },
    namespaces: [namespace],
    log: new FakeLog(),
  });
  const changes: string[] = [];
  observer.replicaChanges.subscribe(({ target, from, to }) => changes.push(`${target.name} ${from} → ${to}`));
  const [timing, log] = [new FastTiming(), new FakeLog()];
  const kubernetes = openKubernetes({
    connection: { kind: 'Explicit', kubeconfig: kubeconfigOf(proxy.url) },
    namespaces: [namespace],
    log,
    timing,
  });
  for (const each of [observer, kubernetes]) {
    each.start();
    await each.whenSynced(30_000);
  }
  return {
    ...{ proxy, kubernetes, log, timing, changes, namespace, makeNamespace, makeTarget },
    removeNamespace: () => remove(`/api/v1/namespaces/${namespace}`),
    removeTarget: (name) => remove(`${deployments}/${name}`),
    touch: (name) =>
      ask('PATCH', `${deployments}/${name}`, { metadata: { annotations: { touched: randomUUID() } } }),
    replicasOf: (name) =>
      observer.scales.cachedScale({ apiVersion: 'apps/v1', kind: 'Deployment', namespace, name })
        ?.specReplicas,
    stop: async () => {
      await kubernetes.stop();
      await observer.stop();
      await proxy.stop();
    },
  };
}

function kubeconfigOf(server: string): string {
  return stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'proxied', cluster: { server } }],
    users: [{ name: 'nobody', user: {} }],
    contexts: [{ name: 'proxied', context: { cluster: 'proxied', user: 'nobody' } }],
    'current-context': 'proxied',
  });
}
