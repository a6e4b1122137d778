import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { WorkloadName } from '../load/load-registry.ts';
import { type KubeObject, withValueAt } from '../objects/kube-object.ts';
import { aCluster, aWorkload, get, type TestCluster, testNamespace } from '../simulator.fixture.ts';

const podMetrics = `/apis/metrics.k8s.io/v1beta1/namespaces/${testNamespace}/pods`;
const customGroup = `/apis/custom.metrics.k8s.io/v1beta2/namespaces/${testNamespace}`;
const externalGroup = `/apis/external.metrics.k8s.io/v1beta1/namespaces/${testNamespace}`;
const web: WorkloadName = { namespace: testNamespace, kind: 'Deployment', name: 'web' };
const deployment = { apiVersion: 'apps/v1', ...web };

let cluster: TestCluster;

beforeEach(async () => {
  cluster = await aCluster();
  cluster.simulator.objects.create(aWorkload('Deployment', 'web', { replicas: 2 }));
  pass(5);
});

afterEach(() => cluster.simulator.stop());

function pass(seconds: number): void {
  cluster.simulator.runPending();
  cluster.clock.advance(seconds * 1000);
}

async function cpu(path = podMetrics): Promise<readonly string[]> {
  const { items } = (await get(cluster, path)) as { items: { containers: { usage: { cpu: string } }[] }[] };
  return items.map(({ containers }) => containers[0]?.usage.cpu ?? '');
}

describe('metrics.k8s.io', () => {
  it('spreads a load over the pods that are ready', async () => {
    cluster.simulator.load.setWorkload(web, {
      web: { cpu: { kind: 'Constant', value: 600 }, share: 'Total' },
    });
    expect(await cpu()).toEqual(['300000000n', '300000000n']);
    cluster.simulator.objects.scale(deployment, 4);
    pass(1);
    // Two of the four run, but are not ready: they idle.
    expect([...(await cpu())].sort()).toEqual(['1000000n', '1000000n', '300000000n', '300000000n']);
    pass(1);
    expect(await cpu()).toEqual(Array(4).fill('150000000n'));
  });

  it('says when each sample was taken, and shows no pod that started later', async () => {
    const [item] = ((await get(cluster, podMetrics)) as { items: object[] }).items;
    expect(item).toMatchObject({
      metadata: { namespace: testNamespace, labels: { app: 'web' } },
      timestamp: '2026-03-01T12:00:05Z',
      window: '1s',
      containers: [{ name: 'web', usage: { cpu: '1000000n', memory: '16384Ki' } }],
    });
    cluster.simulator.objects.scale(deployment, 3);
    pass(0);
    expect(await cpu()).toHaveLength(2);
  });

  it('caps a container at its limit', async () => {
    const limits = ['spec', 'template', 'spec', 'containers'];
    cluster.simulator.objects.update(deployment, (live) =>
      withValueAt(live, limits, [{ name: 'web', image: 'web:2', resources: { limits: { cpu: '200m' } } }]),
    );
    pass(10);
    cluster.simulator.load.setWorkload(web, {
      web: { cpu: { kind: 'Constant', value: 900 }, share: 'EachPod' },
    });
    expect(await cpu()).toEqual(['200000000n', '200000000n']);
  });

  it("reads KWOK's annotations, where no load is set", async () => {
    const annotated = withValueAt(
      aWorkload('Deployment', 'kwok'),
      ['spec', 'template', 'metadata', 'annotations'],
      {
        'kwok.x-k8s.io/usage-cpu': '90m',
        'kwok.x-k8s.io/usage-memory': '50Mi',
      },
    );
    cluster.simulator.objects.create(annotated as KubeObject);
    pass(5);
    expect(await cpu(`${podMetrics}?labelSelector=app%3Dkwok`)).toEqual(['90000000n']);
  });

  it('answers for one pod, and 404 for none', async () => {
    expect(await get(cluster, `${podMetrics}/nobody`)).toMatchObject({ code: 404, reason: 'NotFound' });
  });
});

describe('custom.metrics.k8s.io', () => {
  it('gives a metric of the pods of a workload', async () => {
    const subject = { kind: 'Pods', workload: web } as const;
    cluster.simulator.load.setCustom({ metric: 'requests', subject, series: { kind: 'Constant', value: 5 } });
    expect(await get(cluster, `${customGroup}/pods/*/requests?labelSelector=app%3Dweb`)).toMatchObject({
      kind: 'MetricValueList',
      items: [
        {
          describedObject: { kind: 'Pod', namespace: testNamespace },
          metric: { name: 'requests' },
          value: '2500m',
        },
        { value: '2500m' },
      ],
    });
  });

  it('gives a metric of one object', async () => {
    const subject = {
      kind: 'Object',
      namespace: testNamespace,
      resource: 'deployments.apps',
      name: 'web',
    } as const;
    cluster.simulator.load.setCustom({ metric: 'hits', subject, series: { kind: 'Constant', value: 12 } });
    expect(await get(cluster, `${customGroup}/deployments.apps/web/hits`)).toMatchObject({
      items: [{ value: '12' }],
    });
    expect(await get(cluster, `${customGroup}/deployments.apps/other/hits`)).toMatchObject({ code: 404 });
  });
});

describe('external.metrics.k8s.io', () => {
  it('gives every value that the selector matches', async () => {
    for (const queue of ['a', 'b']) {
      const series = { kind: 'Constant', value: queue === 'a' ? 1.5 : 20 } as const;
      cluster.simulator.load.setExternal({
        namespace: testNamespace,
        metric: 'ready',
        labels: { queue },
        series,
      });
    }
    expect(await get(cluster, `${externalGroup}/ready`)).toMatchObject({
      kind: 'ExternalMetricValueList',
      items: [
        {
          metricName: 'ready',
          metricLabels: { queue: 'a' },
          value: '1500m',
          timestamp: '2026-03-01T12:00:05Z',
        },
        { metricLabels: { queue: 'b' }, value: '20' },
      ],
    });
    const one = await get(cluster, `${externalGroup}/ready?labelSelector=queue%3Db`);
    expect((one as { items: object[] }).items).toHaveLength(1);
  });

  it('is empty, fails or is unknown, as it is set', async () => {
    const { load } = cluster.simulator;
    load.setExternal({ namespace: testNamespace, metric: 'absent', series: { kind: 'Absent' } });
    load.setExternal({
      namespace: testNamespace,
      metric: 'failing',
      series: { kind: 'Failing', code: 503, message: 'down' },
    });
    expect(await get(cluster, `${externalGroup}/absent`)).toMatchObject({ items: [] });
    expect(await get(cluster, `${externalGroup}/failing`)).toMatchObject({ code: 503, message: 'down' });
    expect(await get(cluster, `${externalGroup}/unknown`)).toMatchObject({ code: 404 });
  });
});

describe('load', () => {
  it('follows its series on a clock that may run faster', async () => {
    const fast = await aCluster({ loadCompression: 480 });
    const series = { kind: 'Wave', low: 0, high: 10, periodSeconds: 86_400, peakSeconds: 43_200 } as const;
    fast.simulator.load.setExternal({ namespace: testNamespace, metric: 'wave', series });
    expect(await get(fast, `${externalGroup}/wave`)).toMatchObject({ items: [{ value: '0' }] });
    fast.clock.advance(90_000);
    expect(await get(fast, `${externalGroup}/wave`)).toMatchObject({ items: [{ value: '10' }] });
    fast.clock.advance(45_000);
    expect(await get(fast, `${externalGroup}/wave`)).toMatchObject({ items: [{ value: '5' }] });
    await fast.simulator.stop();
  });
});
