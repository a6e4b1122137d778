import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Kubernetes, openKubernetes } from '#adapter-kubernetes';
import { type Metrics, openMetrics } from '#adapter-metrics';
import type { MetricSpec } from '#policy';
import { FakeLog } from '#reconciliation/testing';
import { kwokNodeName } from '../control-plane/components/kwok.ts';
import { type ControlPlane, startControlPlane } from '../control-plane/control-plane.ts';
import { eventually } from '../control-plane/poll.ts';

const timeoutMilliseconds = 120_000;
const never = new AbortController().signal;
const target = { type: 'AverageValue', averageValueMilli: 1n } as const;
const cpu: MetricSpec = { type: 'Resource', resource: 'cpu', target, targetDocument: {} };
const queue: MetricSpec = { type: 'External', metric: { name: 'queue' }, target, targetDocument: {} };

let cluster: ControlPlane;
let kubernetes: Kubernetes;
let metrics: Metrics;

beforeAll(async () => {
  cluster = await startControlPlane({ components: ['kube-controller-manager', 'kwok', 'metrics-server'] });
  await cluster.kubectl(['create', 'namespace', 'shop']);
  await cluster.kubectl(['apply', '-f', '-'], JSON.stringify(deployment()));
  kubernetes = openKubernetes({
    connection: { kind: 'Kubeconfig', path: cluster.kubeconfigPath },
    namespaces: ['*'],
    log: new FakeLog(),
  });
  metrics = openMetrics({
    resourceApi: kubernetes.createClient(4),
    customApi: kubernetes.createClient(4),
    externalApi: kubernetes.createClient(4),
    resourceNameOf: kubernetes.resourceNameOf,
    recommenders: { cluster: 'test', hosts: [] },
    prometheusServers: [],
  });
}, timeoutMilliseconds);

afterAll(async () => {
  await metrics.close();
  await kubernetes.stop();
  await cluster.stop();
});

describe('the metrics adapter on a real cluster', () => {
  it(
    "reads metrics-server's usage, asked by selector and by namespace alike",
    async () => {
      const alone = await eventually({
        description: 'the usage of both pods',
        timeoutMilliseconds,
        probe: async () => {
          const [entry] = await fetch(['app=checkout']);
          return entry?.[0]?.pods?.length === 2 ? entry[0] : undefined;
        },
      });
      expect(alone.pods?.[0]).toEqual({
        pod: expect.stringMatching(/^checkout-/),
        timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
        windowSeconds: expect.any(Number),
        containers: [{ name: 'application', usage: { cpu: expect.stringMatching(/^\d+[num]?$/) } }],
      });
      const [one, other] = await fetch(['app=checkout', 'app=other']);
      expect(one?.[0]?.pods).toHaveLength(2);
      expect(other?.[0]?.error?.message).toContain('no metrics returned from resource metrics API');
    },
    timeoutMilliseconds,
  );

  it('reports that no external metrics are served', async () => {
    const tick = metrics.openTick().openNamespace();
    const [entry] = await tick.fetchMetrics(
      { namespace: 'shop', selector: 'app=checkout', metrics: [queue] },
      never,
    );
    expect(entry?.error).toEqual({
      reason: 'FailedGetExternalMetric',
      message: expect.stringContaining('unable to fetch metrics from external metrics API: '),
    });
  });
});

function fetch(selectors: readonly string[]) {
  const tick = metrics.openTick().openNamespace();
  return Promise.all(
    selectors.map((selector) => tick.fetchMetrics({ namespace: 'shop', selector, metrics: [cpu] }, never)),
  );
}

function deployment(): object {
  const labels = { app: 'checkout' };
  const annotations = { 'kwok.x-k8s.io/usage-cpu': '90m', 'kwok.x-k8s.io/usage-memory': '50Mi' };
  const containers = [{ name: 'application', image: 'none', resources: { requests: { cpu: '100m' } } }];
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'checkout', namespace: 'shop' },
    spec: {
      replicas: 2,
      selector: { matchLabels: labels },
      template: { metadata: { labels, annotations }, spec: { nodeName: kwokNodeName, containers } },
    },
  };
}
