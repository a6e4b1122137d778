import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Kubernetes, openKubernetes } from '#adapter-kubernetes';
import type { ReplicaChange, ScaleReading, ScaleTarget } from '#reconciliation';
import { FakeLog } from '#reconciliation/testing';
import { type ControlPlane, startControlPlane } from '../control-plane/control-plane.ts';
import { eventually } from '../control-plane/poll.ts';

const timeoutMilliseconds = 120_000;
const target: ScaleTarget = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  namespace: 'shop',
  name: 'checkout',
};
const never = new AbortController().signal;

let cluster: ControlPlane;
let kubernetes: Kubernetes;
const log = new FakeLog();
const changes: ReplicaChange[] = [];

beforeAll(async () => {
  cluster = await startControlPlane({ components: ['kube-controller-manager'] });
  await cluster.kubectl(['create', 'namespace', 'shop']);
  await cluster.kubectl(['apply', '-f', '-'], JSON.stringify(deployment()));
  kubernetes = openKubernetes({
    connection: { kind: 'Kubeconfig', path: cluster.kubeconfigPath },
    namespaces: ['*'],
    log,
  });
  kubernetes.replicaChanges.subscribe((change) => changes.push(change));
  kubernetes.start();
  await kubernetes.whenSynced(30_000);
}, timeoutMilliseconds);

afterAll(async () => {
  await kubernetes.stop();
  await cluster.stop();
});

describe('the Kubernetes adapter on a real API server', () => {
  it('lists pods by selector, slim, and finds their owners', async () => {
    const pods = await eventually({
      description: 'two pods in the cache',
      timeoutMilliseconds: timeoutMilliseconds,
      probe: () => {
        const listing = kubernetes.pods.listPods({
          namespace: 'shop',
          selector: 'app=checkout,tier in (web,api)',
        });
        return Promise.resolve(
          listing.state === 'Synced' && listing.pods.length === 2 ? listing.pods : undefined,
        );
      },
    });
    expect(pods[0]).toMatchObject({
      labels: { app: 'checkout', tier: 'web' },
      phase: 'Pending',
      containers: [{ name: 'application', requests: { cpu: '100m', memory: '64Mi' } }],
    });
    const owners = await kubernetes.owners.resolveOwners(
      { policy: 'shop/checkout', namespace: 'shop', pods },
      never,
    );
    expect(owners).toMatchObject([{ kind: 'ReplicaSet' }, { kind: 'Deployment', name: 'checkout' }]);
  });

  it('reads the same scale from the watch and from the API server', async () => {
    const [cached, live] = await eventually({
      description: 'the watch to have caught up with the server',
      timeoutMilliseconds,
      probe: async () => {
        const read = async (freshness: 'Cached' | 'Live') => {
          const reading = await kubernetes.scales.readScale({ target, freshness }, never);
          // The scale subresource does not know how far the rollout is.
          return 'state' in reading ? { state: { ...reading.state, rollout: undefined } } : reading;
        };
        const both = [await read('Cached'), await read('Live')] as const;
        return JSON.stringify(both[0]) === JSON.stringify(both[1]) ? both : undefined;
      },
    });
    expect(cached).toMatchObject({
      state: {
        specReplicas: 2,
        selector: 'app=checkout,tier in (api,web)',
        writer: { manager: 'kubectl-client-side-apply' },
      },
    });
    expect(live).toEqual(cached);
  });

  it('writes a scale and sees its own change with its manager', async () => {
    const reading = await kubernetes.scales.readScale({ target, freshness: 'Cached' }, never);
    if (!('state' in reading)) throw new Error(reading.error.message);
    const outcome = await kubernetes.scales.writeScale(
      { target, observed: reading.state, replicas: 3 },
      never,
    );
    expect(outcome).toMatchObject({ outcome: 'Written', state: { specReplicas: 3 } });
    const change = await eventually({
      description: 'the change in the watch',
      timeoutMilliseconds: timeoutMilliseconds,
      probe: () => Promise.resolve(changes.find(({ to }) => to === 3)),
    });
    expect(change).toMatchObject({ from: 2, to: 3, manager: 'plimsoll' });
  });

  it('writes over a version that only a rollout bumped, and not over another count', async () => {
    const reading = await kubernetes.scales.readScale({ target, freshness: 'Live' }, never);
    if (!('state' in reading)) throw new Error(reading.error.message);
    await cluster.kubectl(['annotate', 'deployment', 'checkout', '-n', 'shop', 'touched=yes']);
    const first = await kubernetes.scales.writeScale({ target, observed: reading.state, replicas: 4 }, never);
    expect(first).toMatchObject({ outcome: 'Written', state: { specReplicas: 4 } });
    if (first.outcome !== 'Written') throw new Error('not written');

    await cluster.kubectl(['scale', 'deployment', 'checkout', '-n', 'shop', '--replicas=1']);
    const second = await kubernetes.scales.writeScale({ target, observed: first.state, replicas: 6 }, never);
    expect(second).toMatchObject({ outcome: 'Changed', state: { specReplicas: 1 } });
    const change = await eventually({
      description: "another manager's change in the watch",
      timeoutMilliseconds: timeoutMilliseconds,
      probe: () => Promise.resolve(changes.find(({ to }) => to === 1)),
    });
    expect(change).toMatchObject({ from: 4, to: 1, manager: 'kubectl' });
  });

  it('counts equal events up', async () => {
    const event = {
      subject: { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'shop', name: 'checkout' },
      type: 'Normal' as const,
      reason: 'SuccessfulRescale',
      message: 'New size: 3; reason: All metrics below target',
      time: new Date().toISOString(),
    };
    kubernetes.events.emit(event);
    kubernetes.events.emit(event);
    const counts = await eventually({
      description: 'both events to be written',
      timeoutMilliseconds: timeoutMilliseconds,
      probe: () =>
        Promise.resolve(kubernetes.health().events.delivered === 2 ? kubernetes.health().events : undefined),
    });
    expect(counts).toEqual({ delivered: 2, dropped: 0 });
    const listed = JSON.parse(
      await cluster.kubectl([
        'get',
        'events',
        '-n',
        'shop',
        '--field-selector',
        'reason=SuccessfulRescale',
        '-o',
        'json',
      ]),
    ) as { items: { count: number; source: { component: string } }[] };
    expect(listed.items).toMatchObject([{ count: 2, source: { component: 'plimsoll' } }]);
  });

  it(
    'goes on after an outage of the API server',
    async () => {
      await cluster.stopComponent('kube-apiserver');
      const failed = await kubernetes.scales.readScale({ target, freshness: 'Live' }, never);
      expect(failed).toMatchObject({ cause: 'Failed', error: { reason: 'FailedGetScale' } });
      await cluster.startComponent('kube-apiserver');
      await cluster.kubectl(['scale', 'deployment', 'checkout', '-n', 'shop', '--replicas=5']);
      await eventually({
        description: 'the change after the outage',
        timeoutMilliseconds: timeoutMilliseconds,
        probe: () => Promise.resolve(changes.find(({ to }) => to === 5)),
      });
      expect(log.lines.some(({ text }) => text === 'watch interrupted')).toBe(true);
      expect(log.lines.some(({ level }) => level === 'error')).toBe(false);
    },
    timeoutMilliseconds,
  );
});

function deployment(): object {
  const labels = { app: 'checkout', tier: 'web' };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'checkout', namespace: 'shop' },
    spec: {
      replicas: 2,
      selector: {
        matchLabels: { app: 'checkout' },
        matchExpressions: [{ key: 'tier', operator: 'In', values: ['web', 'api'] }],
      },
      template: {
        metadata: { labels },
        spec: {
          containers: [
            { name: 'application', image: 'none', resources: { requests: { cpu: '100m', memory: '64Mi' } } },
          ],
        },
      },
    },
  };
}

describe('a Deployment whose pods cannot be made', () => {
  it.each([
    {
      name: 'a ResourceQuota',
      limit: { kind: 'ResourceQuota', spec: { hard: { pods: '1' } } },
      want: /^FailedCreate: pods .* is forbidden: exceeded quota: tight/,
    },
    {
      name: 'a LimitRange',
      limit: { kind: 'LimitRange', spec: { limits: [{ type: 'Pod', max: { cpu: '10m' } }] } },
      want: /^FailedCreate: pods .* is forbidden: .*maximum cpu usage per Pod is 10m/,
    },
  ])(
    'says that $name keeps them from it',
    async ({ limit: { kind, spec }, want }) => {
      const namespace = `of-${kind.toLowerCase()}`;
      const limit = { apiVersion: 'v1', kind, metadata: { name: 'tight', namespace }, spec };
      const made = deployment();
      await cluster.kubectl(['create', 'namespace', namespace]);
      await cluster.kubectl(['apply', '-f', '-'], JSON.stringify(limit));
      await cluster.kubectl(
        ['apply', '-f', '-'],
        JSON.stringify({ ...made, metadata: { name: 'checkout', namespace } }),
      );
      const failure = await eventually({
        description: `the failure of the Deployment under ${kind}`,
        timeoutMilliseconds,
        probe: () =>
          Promise.resolve(
            kubernetes.scales.cachedScale({ ...target, namespace })?.rollout?.failure ?? undefined,
          ),
      });
      expect(failure).toMatch(want);
    },
    timeoutMilliseconds,
  );
});

describe('any target with a scale', () => {
  it.each([
    { kind: 'StatefulSet', apiVersion: 'apps/v1' },
    { kind: 'ReplicaSet', apiVersion: 'apps/v1' },
    { kind: 'Rollout', apiVersion: 'example.com/v1' },
  ])(
    'of the kind $kind is read, written and watched',
    async ({ kind, apiVersion }) => {
      const name = `any-${kind.toLowerCase()}`;
      if (kind === 'Rollout') await createRolloutKind();
      await cluster.kubectl(['apply', '-f', '-'], JSON.stringify(anyTarget({ apiVersion, kind, name })));
      const any: ScaleTarget = { apiVersion, kind, namespace: 'shop', name };
      const read = () => kubernetes.scales.readScale({ target: any, freshness: 'Cached' }, never);
      const observed = await eventually({
        description: `the scale of ${name}`,
        timeoutMilliseconds: timeoutMilliseconds,
        probe: async () => {
          const reading = await read();
          return 'state' in reading ? reading.state : undefined;
        },
      });
      expect(observed).toMatchObject({ specReplicas: 1 });
      const outcome = await kubernetes.scales.writeScale({ target: any, observed, replicas: 2 }, never);
      expect(outcome).toMatchObject({ outcome: 'Written', state: { uid: observed.uid, specReplicas: 2 } });
      await cluster.kubectl(['scale', kind.toLowerCase(), name, '-n', 'shop', '--replicas=4']);
      const change = await eventually({
        description: `the change of ${name} by another manager`,
        timeoutMilliseconds: timeoutMilliseconds,
        probe: () => Promise.resolve(changes.find(({ target: { name: of }, to }) => of === name && to === 4)),
      });
      expect(change).toMatchObject({ from: 2, to: 4, manager: 'kubectl' });
      expect(await read()).toMatchObject({ state: { specReplicas: 4 } });
    },
    timeoutMilliseconds,
  );
});

describe('a custom resource whose definition names another field for the count', () => {
  it('is not written on what was observed before', async () => {
    await createRolloutKind();
    const kind = { apiVersion: 'example.com/v1', kind: 'Rollout' };
    const metadata = { name: 'renamed', namespace: 'shop' };
    await cluster.kubectl(
      ['apply', '-f', '-'],
      JSON.stringify({ ...kind, metadata, spec: { size: 2, count: 9 } }),
    );
    const target: ScaleTarget = { ...kind, ...metadata };
    const read = (): Promise<ScaleReading> =>
      kubernetes.scales.readScale({ target, freshness: 'Cached' }, never);
    const observed = await eventually({
      description: 'the scale, cached',
      timeoutMilliseconds,
      probe: async () => {
        await read();
        return kubernetes.scales.cachedScale(target);
      },
    });
    expect(observed).toMatchObject({ specReplicas: 2 });
    await createRolloutKind('.spec.count');
    const reader = ['get', '--raw', '/apis/example.com/v1/namespaces/shop/rollouts/renamed/scale'];
    await eventually({
      description: 'the definition to be in force',
      timeoutMilliseconds,
      probe: async () => ((await cluster.kubectl(reader)).includes('"replicas":9') ? true : undefined),
    });
    expect(kubernetes.scales.cachedScale(target)).toEqual(observed);
    const write = { target, observed, replicas: 4 };
    expect(await kubernetes.scales.writeScale(write, never)).toMatchObject({
      outcome: 'Changed',
      state: { specReplicas: 9, resourceVersion: observed.resourceVersion },
    });
    expect(await cluster.kubectl(reader)).toContain('"replicas":9');
    await createRolloutKind();
  });
});

async function createRolloutKind(specReplicasPath = '.spec.size'): Promise<void> {
  const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
  const scale = {
    specReplicasPath,
    statusReplicasPath: '.status.size',
    labelSelectorPath: '.status.selector',
  };
  const definition = {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'rollouts.example.com' },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: 'rollouts', singular: 'rollout', kind: 'Rollout', listKind: 'RolloutList' },
      versions: [{ name: 'v1', served: true, storage: true, schema, subresources: { scale } }],
    },
  };
  await cluster.kubectl(['apply', '-f', '-'], JSON.stringify(definition));
  await cluster.kubectl(['wait', '--for=condition=Established', 'crd/rollouts.example.com', '--timeout=60s']);
}

function anyTarget({ apiVersion, kind, name }: Pick<ScaleTarget, 'apiVersion' | 'kind' | 'name'>): object {
  const metadata = { name, namespace: 'shop' };
  if (kind === 'Rollout') return { apiVersion, kind, metadata, spec: { size: 1 } };
  const labels = { app: name };
  const template = { metadata: { labels }, spec: { containers: [{ name: 'application', image: 'none' }] } };
  return { apiVersion, kind, metadata, spec: { replicas: 1, selector: { matchLabels: labels }, template } };
}
