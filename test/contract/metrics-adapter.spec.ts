import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type Kubernetes, openKubernetes } from '#adapter-kubernetes';
import { type Metrics, type MetricsApi, openMetrics } from '#adapter-metrics';
import type { ObservedMetric } from '#decision';
import type { MetricSpec } from '#policy';
import type { MetricsPort } from '#reconciliation';
import { FakeLog, FakeMetrics } from '#reconciliation/testing';
import { type Simulator, startSimulator } from '#simulator';
import { eventually } from '../control-plane/poll.ts';

const never = new AbortController().signal;
const target = { type: 'AverageValue', averageValueMilli: 1n } as const;
const cpu: MetricSpec = { type: 'Resource', resource: 'cpu', target, targetDocument: {} };
const sidecar: MetricSpec = {
  type: 'ContainerResource',
  resource: 'cpu',
  container: 'sidecar',
  target,
  targetDocument: {},
};
const queue: MetricSpec = {
  type: 'External',
  metric: { name: 'queue', selector: { matchLabels: { service: 'billing' } } },
  target,
  targetDocument: {},
};
const missing: MetricSpec = {
  type: 'External',
  metric: { name: 'nobody-knows' },
  target,
  targetDocument: {},
};
const requests: MetricSpec = { type: 'Pods', metric: { name: 'requests' }, target, targetDocument: {} };
const depth: MetricSpec = {
  type: 'Object',
  metric: { name: 'depth' },
  describedObject: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'checkout' },
  target,
  targetDocument: {},
};

let simulator: Simulator;
let kubernetes: Kubernetes;
let asked: string[];
let metrics: Metrics;
let prometheus: Server;
let answerPrometheus: (query: string) => { readonly status: number; readonly body: string };

beforeAll(async () => {
  simulator = await startSimulator();
  simulator.objects.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } });
  for (const name of ['checkout', 'search']) createWorkload(name);
  loadWorkloads();
  prometheus = createServer((request, response) => {
    void readBody(request).then((form) => {
      const { status, body } = answerPrometheus(new URLSearchParams(form).get('query') ?? '');
      response.writeHead(status, status === 302 ? { location: '/elsewhere' } : {}).end(body);
    });
  });
  await new Promise<void>((resolve) => prometheus.listen(0, '127.0.0.1', resolve));
  await untilUsageIsServed();
});

afterAll(async () => {
  prometheus.closeAllConnections();
  prometheus.close();
  await simulator.stop();
});

beforeEach(() => {
  asked = [];
  kubernetes = openKubernetes({
    connection: { kind: 'Explicit', kubeconfig: simulator.kubeconfigYaml },
    namespaces: ['*'],
    log: new FakeLog(),
  });
  metrics = openMetrics({
    resourceApi: recorded(),
    customApi: recorded(),
    externalApi: recorded(),
    resourceNameOf: (apiVersion, kind) => kubernetes.resourceNameOf(apiVersion, kind),
    recommenders: { cluster: 'test', hosts: [] },
    prometheusServers: [
      { name: 'main', url: `http://127.0.0.1:${(prometheus.address() as AddressInfo).port}/prefix/` },
      { name: 'metadata', url: 'http://169.254.169.254' },
    ],
  });
});

afterEach(async () => {
  simulator.faults.clear();
  await metrics.close();
  await kubernetes.stop();
});

describe.each([
  { name: 'the fake', port: fakePort },
  { name: 'the adapter', port: () => metrics },
])('the metrics port of $name', ({ port }) => {
  it('gives one entry a metric, in order, errors among them', async () => {
    const [first, second, third, ...rest] = await port()
      .openTick()
      .openNamespace()
      .fetchMetrics({ namespace: 'shop', selector: 'app=checkout', metrics: [cpu, missing, queue] }, never);
    expect(first?.pods).toHaveLength(2);
    expect(second?.error?.reason).toBe('FailedGetExternalMetric');
    expect(third?.values).toEqual(['7']);
    expect(rest).toEqual([]);
  });

  it('gives nothing for no metric', async () => {
    const query = { namespace: 'shop', selector: 'app=search', metrics: [] };
    expect(await port().openTick().openNamespace().fetchMetrics(query, never)).toEqual([]);
  });
});

/** Samples are taken every second. */
function withoutTimes(observed: readonly ObservedMetric[] | undefined): object | undefined {
  return observed?.map(({ pods, ...rest }) => ({
    ...rest,
    pods: pods?.map((sample) => ({ ...sample, timestamp: '' })),
  }));
}

describe('resource metrics', () => {
  it('carry the resource that is asked for, of every container', async () => {
    const [entry] = await fetch('app=checkout', [cpu]);
    expect(entry?.pods?.[0]).toEqual({
      pod: expect.stringContaining('checkout'),
      timestamp: expect.stringMatching(/^\d{4}-.*Z$/),
      windowSeconds: expect.any(Number),
      containers: [
        { name: 'application', usage: { cpu: expect.anything() } },
        { name: 'sidecar', usage: { cpu: expect.anything() } },
      ],
    });
  });

  it('carry one container where one is asked for', async () => {
    const [entry] = await fetch('app=checkout', [sidecar]);
    expect(entry?.pods?.[0]?.containers?.map(({ name }) => name)).toEqual(['sidecar']);
  });

  it('are asked by selector where one policy is due', async () => {
    await fetch('app=checkout', [cpu, sidecar]);
    expect(asked).toEqual(['/apis/metrics.k8s.io/v1beta1/namespaces/shop/pods?labelSelector=app=checkout']);
  });

  it('are asked once a namespace where several are, and matched by the labels of the samples', async () => {
    const tick = metrics.openTick().openNamespace();
    const answers = await Promise.all(
      ['app=checkout', 'app=search', 'app in (checkout,search)', 'app=none'].map((selector) =>
        tick.fetchMetrics({ namespace: 'shop', selector, metrics: [cpu] }, never),
      ),
    );
    expect(answers.map(([entry]) => entry?.pods?.length ?? entry?.error)).toEqual([
      2,
      2,
      4,
      {
        reason: 'FailedGetResourceMetric',
        message: 'unable to get metrics for resource cpu: no metrics returned from resource metrics API',
      },
    ]);
    expect(asked).toEqual(['/apis/metrics.k8s.io/v1beta1/namespaces/shop/pods']);
  });

  it('are there for all that ask where a namespace was prepared for several policies, and asked by selector else', async () => {
    const tick = metrics.openTick().openNamespace();
    const prepared = [[requests], [cpu, requests], [sidecar]].map((of) => ({
      namespace: 'shop',
      metrics: of,
    }));
    await tick.prepare(prepared);
    expect(asked).toEqual(['/apis/metrics.k8s.io/v1beta1/namespaces/shop/pods']);
    const query = { namespace: 'shop', selector: 'app=search', metrics: [cpu] };
    const [entry] = await tick.fetchMetrics(query, never);
    expect(entry).toHaveProperty('pods.length', 2);
    expect(asked).toHaveLength(1);
    await metrics.openTick().openNamespace().prepare(prepared.slice(0, 2));
    expect(asked).toHaveLength(1);
  });

  it('are read without waiting where they are there, and all of them are usage', async () => {
    const tick = metrics.openTick().openNamespace();
    const query = { namespace: 'shop', selector: 'app in (checkout,search)', metrics: [cpu, sidecar] };
    expect(tick.presentMetrics(query)).toBeUndefined();
    await tick.prepare([query, query]);
    const fetched = await tick.fetchMetrics(query, never);
    expect(fetched.map(({ pods }) => pods?.length)).toEqual([4, 4]);
    expect(tick.presentMetrics(query)).toEqual(fetched);
    const none = { ...query, selector: 'app=none' };
    expect(tick.presentMetrics(none)).toEqual(await tick.fetchMetrics(none, never));
    expect(tick.presentMetrics({ ...query, metrics: [cpu, requests] })).toBeUndefined();
  });

  it('are the same, read for all of a namespace or for one, where all want one resource', async () => {
    const tick = metrics.openTick().openNamespace();
    const query = { namespace: 'shop', selector: 'app=checkout', metrics: [cpu] };
    await tick.prepare([query, { ...query, metrics: [cpu] }]);
    const prepared = tick.presentMetrics(query);
    expect(withoutTimes(prepared)).toEqual(withoutTimes(await fetch('app=checkout', [cpu])));
    expect(tick.presentMetrics({ ...query, selector: 'app in (checkout,search)' })).toHaveProperty(
      '0.pods.length',
      4,
    );
    expect(asked).toHaveLength(2);
    // Of a policy that came to want another meanwhile.
    const other = { ...query, metrics: [sidecar] };
    expect(tick.presentMetrics(other)).toBeUndefined();
    const [fetched, alone] = [await tick.fetchMetrics(other, never), await fetch('app=checkout', [sidecar])];
    expect(withoutTimes(fetched)).toEqual(withoutTimes(alone));
    expect(tick.presentMetrics(query)).toEqual(prepared);
  });

  it('resolve a preparation that fails, and give each policy the failure', async () => {
    simulator.faults.add({
      match: { path: '/apis/metrics.k8s.io' },
      fault: { kind: 'Error', code: 503, message: 'the server is down' },
    });
    const tick = metrics.openTick().openNamespace();
    await tick.prepare([cpu, cpu].map((metric) => ({ namespace: 'shop', metrics: [metric] })));
    const query = { namespace: 'shop', selector: 'app=search', metrics: [cpu] };
    expect(tick.presentMetrics(query)).toBeUndefined();
    const [entry] = await tick.fetchMetrics(query, never);
    expect(entry?.error?.message).toMatch('the server is down');
    expect(asked).toHaveLength(1);
  });

  it('are asked anew in the next tick', async () => {
    await fetch('app=checkout', [cpu]);
    await fetch('app=checkout', [cpu]);
    expect(asked).toHaveLength(2);
  });
});

describe('custom and external metrics', () => {
  it('give a value a pod, and the value of an object', async () => {
    const [pods, object] = await fetch('app=checkout', [requests, depth]);
    expect(pods).toHaveProperty('pods.length', 2);
    expect(pods?.pods?.[0]).toMatchObject({ pod: expect.stringContaining('checkout'), value: '5' });
    expect(object).toMatchObject({ value: '40' });
    expect(asked).toEqual([
      '/apis/custom.metrics.k8s.io/v1beta2/namespaces/shop/pods/*/requests?labelSelector=app=checkout',
      '/apis/custom.metrics.k8s.io/v1beta2/namespaces/shop/deployments.apps/checkout/depth',
    ]);
  });

  it('ask for an external metric once per tick, however many policies read it', async () => {
    const tick = metrics.openTick().openNamespace();
    const ask = (selector: string) =>
      tick.fetchMetrics({ namespace: 'shop', selector, metrics: [queue] }, never);
    const [one, two] = await Promise.all([ask('app=checkout'), ask('app=search')]);
    expect(one).toEqual(two);
    expect(asked).toEqual([
      '/apis/external.metrics.k8s.io/v1beta1/namespaces/shop/queue?labelSelector=service=billing',
    ]);
  });

  it('say with the words of upstream what failed', async () => {
    simulator.faults.add({
      match: { path: '/apis/external' },
      fault: { kind: 'Error', code: 503, message: 'the adapter is down' },
    });
    const [entry] = await fetch('app=checkout', [queue]);
    expect(entry?.error).toEqual({
      reason: 'FailedGetExternalMetric',
      message: expect.stringMatching(
        /^unable to get external metric shop\/queue\/service=billing: unable to fetch metrics from external metrics API: .*the adapter is down$/,
      ),
    });
  });

  it('that hang delay no query that does not ask for them', async () => {
    simulator.faults.add({ match: { path: '/apis/external' }, fault: { kind: 'Hang' } });
    const tick = metrics.openTick().openNamespace();
    const controller = new AbortController();
    const hanging = Array.from({ length: 50 }, (_, index) =>
      tick.fetchMetrics(
        { namespace: `n${index}`, selector: 'app=checkout', metrics: [queue] },
        controller.signal,
      ),
    );
    let ended = 0;
    const ends = hanging.map((fetching) => fetching.finally(() => (ended += 1)));
    const [entry] = await tick.fetchMetrics(
      { namespace: 'shop', selector: 'app=checkout', metrics: [cpu] },
      never,
    );
    expect(entry?.pods).toHaveLength(2);
    expect(ended).toBe(0);
    controller.abort(new Error('the pass is over'));
    for (const result of await Promise.allSettled(ends)) expect(result).toMatchObject({ status: 'rejected' });
  });
});

describe('Prometheus', () => {
  it.each([
    {
      name: 'a scalar',
      result: { resultType: 'scalar', result: [1_700_000_000.5, '0.25'] },
      values: ['0.25'],
    },
    {
      name: 'a vector',
      result: {
        resultType: 'vector',
        result: [{ value: [1_700_000_000.5, '3'] }, { value: [1_700_000_000.5, '1.5'] }],
      },
      values: ['3', '1.5'],
    },
  ])('gives the values of $name', async ({ result, values }) => {
    answerPrometheus = () => ({ status: 200, body: JSON.stringify({ status: 'success', data: result }) });
    const [entry] = await fetch('app=checkout', [promql('rate(x[5m])')]);
    expect(entry).toEqual({ values, timestamp: '2023-11-14T22:13:20.500Z' });
  });

  it('is believed whatever it remarks on the query', async () => {
    const data = { resultType: 'scalar', result: [1, '7'] };
    const body = JSON.stringify({
      status: 'success',
      infos: ['metric might not be a counter'],
      warnings: [],
      isPartial: false,
      data,
    });
    answerPrometheus = () => ({ status: 200, body });
    expect(await fetch('app=checkout', [promql('x')])).toMatchObject([{ values: ['7'] }]);
  });

  it('is asked once per tick for one query', async () => {
    const queries: string[] = [];
    answerPrometheus = (query) => {
      queries.push(query);
      return { status: 200, body: '{"status":"success","data":{"resultType":"scalar","result":[1,"1"]}}' };
    };
    const tick = metrics.openTick().openNamespace();
    const query = {
      namespace: 'shop',
      selector: 'app=checkout',
      metrics: [promql('up'), promql('up'), promql('down')],
    };
    await tick.fetchMetrics(query, never);
    expect(queries.toSorted()).toEqual(['down', 'up']);
  });

  it.each([
    {
      name: 'an empty vector',
      status: 200,
      body: '{"status":"success","data":{"resultType":"vector","result":[]}}',
      want: 'the query gives no series',
    },
    {
      name: 'NaN',
      status: 200,
      body: '{"status":"success","data":{"resultType":"scalar","result":[1,"NaN"]}}',
      want: 'the query gives NaN',
    },
    {
      name: 'an infinity',
      status: 200,
      body: '{"status":"success","data":{"resultType":"vector","result":[{"value":[1,"+Inf"]}]}}',
      want: 'the query gives +Inf',
    },
    {
      name: 'a matrix',
      status: 200,
      body: '{"status":"success","data":{"resultType":"matrix","result":[]}}',
      want: 'the query gives a matrix; a scalar or a vector is wanted',
    },
    {
      name: 'an error with status 200',
      status: 200,
      body: '{"status":"error","error":"query timed out","data":{"resultType":"scalar","result":[1,"1"]}}',
      want: 'status error: query timed out',
    },
    {
      name: 'a part of the answer, as while a store is down',
      status: 200,
      body: '{"status":"success","warnings":["store http://a:b@s1 is down"],"data":{"resultType":"scalar","result":[1,"1"]}}',
      want: 'the answer is not complete: store http://…@s1 is down',
    },
    {
      name: 'a part of the answer of VictoriaMetrics, as while a storage node is down',
      status: 200,
      body: '{"status":"success","isPartial":true,"data":{"resultType":"vector","result":[{"value":[1,"1"]}]}}',
      want: 'the answer is not complete: isPartial is true',
    },
    {
      name: 'a value of 300,000 zeros',
      status: 200,
      body: `{"status":"success","data":{"resultType":"scalar","result":[1,"0.${'0'.repeat(300_000)}"]}}`,
      want: 'a value of 300002 characters',
    },
    { name: 'no JSON', status: 200, body: '<html>', want: 'the answer is no JSON' },
    {
      name: 'a bad query',
      status: 400,
      body: '{"error":"parse error"}',
      want: 'status 400: {"error":"parse error"}',
    },
    { name: 'a redirect', status: 302, body: '', want: 'status 302: redirects are not followed' },
  ])('is invalid for $name', async ({ status, body, want }) => {
    answerPrometheus = () => ({ status, body });
    const [entry] = await fetch('app=checkout', [promql('x')]);
    expect(entry).toEqual({
      error: { reason: 'FailedGetPrometheusMetric', message: `Prometheus main: ${want}` },
    });
  });

  it('is asked only where the configuration names it, and never at a link-local address', async () => {
    const entries = await fetch('app=checkout', [promql('x', 'other'), promql('x', 'metadata')]);
    expect(entries.map(({ error }) => error?.message)).toEqual([
      'no Prometheus server named other is configured',
      'Prometheus metadata: 169.254.169.254 is a link-local address, which no metric source may have',
    ]);
  });
});

function fakePort(): MetricsPort {
  const fake = new FakeMetrics();
  const error = { reason: 'FailedGetExternalMetric', message: 'no such metric' };
  const answer = [{ pods: [{ pod: 'a' }, { pod: 'b' }] }, { error }, { values: ['7'] }];
  fake.set({ namespace: 'shop', selector: 'app=checkout' }, { kind: 'Answers', metrics: answer });
  return fake;
}

function fetch(selector: string, wanted: readonly MetricSpec[]) {
  return metrics
    .openTick()
    .openNamespace()
    .fetchMetrics({ namespace: 'shop', selector, metrics: wanted }, never);
}

function promql(query: string, server = 'main'): MetricSpec {
  return { type: 'Prometheus', server, query, target, targetDocument: {} };
}

function recorded(): MetricsApi {
  const client = kubernetes.createClient(8);
  return {
    json: (request) => {
      const query = Object.entries(request.query ?? {}).filter(([, value]) => value !== undefined);
      const text = query.map(([key, value]) => `${key}=${String(value)}`).join('&');
      asked.push(text === '' ? request.path : `${request.path}?${text}`);
      return client.json(request);
    },
  };
}

function createWorkload(name: string): void {
  const labels = { app: name };
  const containers = ['application', 'sidecar'].map((container) => ({ name: container, image: 'none' }));
  simulator.objects.create({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, namespace: 'shop' },
    spec: {
      replicas: 2,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers } },
    },
  });
}

function loadWorkloads(): void {
  const workload = { namespace: 'shop', kind: 'Deployment', name: 'checkout' };
  const constant = (value: number) => ({ kind: 'Constant', value }) as const;
  simulator.load.setExternal({
    namespace: 'shop',
    metric: 'queue',
    labels: { service: 'billing' },
    series: constant(7),
  });
  simulator.load.setExternal({
    namespace: 'shop',
    metric: 'queue',
    labels: { service: 'other' },
    series: constant(9),
  });
  simulator.load.setCustom({ metric: 'requests', subject: { kind: 'Pods', workload }, series: constant(10) });
  const object = {
    kind: 'Object',
    namespace: 'shop',
    resource: 'deployments.apps',
    name: 'checkout',
  } as const;
  simulator.load.setCustom({ metric: 'depth', subject: object, series: constant(40) });
}

/** Pods of the simulator are ready after two seconds, and measured then. */
async function untilUsageIsServed(): Promise<void> {
  const headers = { authorization: `Bearer ${simulator.token}` };
  const path = `${simulator.url}/apis/custom.metrics.k8s.io/v1beta2/namespaces/shop/pods/*/requests`;
  await eventually({
    description: 'both pods of checkout to be measured',
    timeoutMilliseconds: 15_000,
    intervalMilliseconds: 50,
    probe: async () => {
      const response = await globalThis.fetch(path, { headers });
      const { items } = (await response.json()) as { items: readonly unknown[] };
      return items.length === 2 ? true : undefined;
    },
  });
}

async function readBody(request: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}
