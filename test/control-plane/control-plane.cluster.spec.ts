import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:https';
import { type AddressInfo, connect } from 'node:net';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { kwokNodeName } from './components/kwok.ts';
import { type ControlPlane, startControlPlane } from './control-plane.ts';
import { usageAnnotations } from './pod-usage.ts';
import { eventually } from './poll.ts';

/** Two scrapes of 10 s and two syncs of 5 s, on a machine that may have other things to do. */
const timeoutMilliseconds = 120_000;
const testNamespace = 'shop';

let cluster: ControlPlane;

beforeAll(async () => {
  cluster = await startControlPlane({
    components: ['kube-controller-manager', 'kube-scheduler', 'kwok', 'metrics-server'],
  });
  await cluster.kubectl(['create', 'namespace', testNamespace]);
}, timeoutMilliseconds);

afterAll(() => cluster.stop());

describe('a cluster with all its components', () => {
  it(
    'lets the native HPA scale a Deployment on the usage that its pods are annotated with',
    async () => {
      await apply(
        aDeployment('checkout', { replicas: 2 }),
        aCpuAutoscaler('checkout', { averageUtilization: 60 }),
      );
      await untilReadyReplicas('checkout', 2);

      await cluster.setPodUsage({
        namespace: testNamespace,
        labelSelector: 'app=checkout',
        cpu: '75m',
        memory: '50Mi',
      });
      const usage = await eventually({
        description: 'metrics.k8s.io to show the usage',
        timeoutMilliseconds: timeoutMilliseconds,
        probe: async () => (await podUsage('checkout')).find(({ cpuMillicores }) => cpuMillicores > 50),
      });
      expect(usage.cpuMillicores).toBeGreaterThanOrEqual(70);
      expect(usage.cpuMillicores).toBeLessThanOrEqual(80);

      // 2 pods × 75 % ÷ 60 % = 2.5 → 3; the third uses 1m: 3 × 50.3 % ÷ 60 % = 2.5 → 3. Scrapes are a little off.
      await untilReadyReplicas('checkout', 3);
    },
    2 * timeoutMilliseconds,
  );

  it(
    'lets the native HPA read external.metrics.k8s.io from a local server',
    async () => {
      const metrics = await serveExternalMetric('queue_length', '45');
      try {
        await cluster.registerAggregatedApi({
          group: externalMetrics,
          version: 'v1beta1',
          port: portOf(metrics),
        });
        await apply(
          aDeployment('worker', { replicas: 1, nodeName: kwokNodeName }),
          anExternalAutoscaler('worker', { metric: 'queue_length', averageValue: '10' }),
        );

        await untilReadyReplicas('worker', 5);
      } finally {
        await cluster.unregisterAggregatedApi({ group: externalMetrics, version: 'v1beta1' });
        metrics.closeAllConnections();
        metrics.close();
      }
    },
    2 * timeoutMilliseconds,
  );

  it(
    'keeps its nodes ready, and with them the pods',
    async () => {
      const before = await leaseRenewTime();
      await eventually({
        description: 'KWOK to renew the node lease',
        timeoutMilliseconds: timeoutMilliseconds,
        probe: async () => ((await leaseRenewTime()) === before ? undefined : true),
      });
    },
    timeoutMilliseconds,
  );

  it('gives a user the rights that RBAC gives, and no more', async () => {
    const kubeconfig = cluster.kubeconfigFor({ commonName: 'auditor', organizations: ['readers'] });
    await cluster.kubectl([
      'create',
      'clusterrolebinding',
      'readers',
      '--clusterrole=view',
      '--group=readers',
    ]);

    const as = ['--kubeconfig', kubeconfig, '--namespace', testNamespace];
    await eventually({
      description: 'the binding to hold',
      timeoutMilliseconds: timeoutMilliseconds,
      probe: () => cluster.kubectl([...as, 'get', 'pods']),
    });
    await expect(cluster.kubectl([...as, 'get', 'secrets'])).rejects.toThrow(
      'User "auditor" cannot list resource',
    );
  });

  it(
    'keeps its data over an outage of the API server',
    async () => {
      await cluster.kubectl(['create', 'configmap', 'kept', '--namespace', testNamespace]);

      await cluster.stopComponent('kube-apiserver');
      await expect(cluster.api({ path: '/readyz' })).rejects.toThrow('ECONNREFUSED');

      await cluster.startComponent('kube-apiserver');
      const { status } = await cluster.api({ path: `/api/v1/namespaces/${testNamespace}/configmaps/kept` });
      expect(status).toBe(200);
    },
    timeoutMilliseconds,
  );
});

describe('starting and stopping', () => {
  it(
    'ends every process and removes the state when the test process is killed',
    async () => {
      const script = fileURLToPath(new URL('./forgetful-test.ts', import.meta.url));
      const test = spawn(process.execPath, [script], { stdio: ['ignore', 'pipe', 'inherit'] });
      const [line] = (await once(test.stdout, 'data')) as [Buffer];
      const { server, stateFolder } = JSON.parse(line.toString()) as { server: string; stateFolder: string };
      expect(existsSync(stateFolder)).toBe(true);

      test.kill('SIGKILL');

      // The state goes last, when the supervisor has seen every process end.
      await eventually({
        description: 'the state folder to be gone',
        timeoutMilliseconds: timeoutMilliseconds,
        probe: () => Promise.resolve(existsSync(stateFolder) ? undefined : true),
      });
      await expect(connectTo(server)).rejects.toThrow('ECONNREFUSED');
    },
    timeoutMilliseconds,
  );

  it(
    'shows the output of a component that does not start',
    async () => {
      const start = startControlPlane({ extraArguments: { 'kube-apiserver': ['--no-such-flag'] } });

      await expect(start).rejects.toThrow(
        /waiting for kube-apiserver to be ready[^]*unknown flag: --no-such-flag/,
      );
    },
    timeoutMilliseconds,
  );
});

const externalMetrics = 'external.metrics.k8s.io';

function apply(...items: readonly object[]): Promise<string> {
  return cluster.kubectl(['apply', '-f', '-'], JSON.stringify({ apiVersion: 'v1', kind: 'List', items }));
}

function aDeployment(name: string, { replicas, nodeName }: { replicas: number; nodeName?: string }): object {
  const container = {
    name: 'main',
    image: 'none',
    resources: { requests: { cpu: '100m', memory: '100Mi' } },
  };
  const metadata = { labels: { app: name }, annotations: { [usageAnnotations.cpu]: '1m' } };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, namespace: testNamespace },
    spec: {
      replicas,
      selector: { matchLabels: { app: name } },
      template: { metadata, spec: { containers: [container], nodeName } },
    },
  };
}

function aCpuAutoscaler(target: string, { averageUtilization }: { averageUtilization: number }): object {
  const resource = { name: 'cpu', target: { type: 'Utilization', averageUtilization } };
  return anAutoscaler(target, { minReplicas: 2, metric: { type: 'Resource', resource } });
}

function anExternalAutoscaler(target: string, given: { metric: string; averageValue: string }): object {
  const external = {
    metric: { name: given.metric },
    target: { type: 'AverageValue', averageValue: given.averageValue },
  };
  return anAutoscaler(target, { minReplicas: 1, metric: { type: 'External', external } });
}

function anAutoscaler(
  target: string,
  { minReplicas, metric }: { minReplicas: number; metric: object },
): object {
  return {
    apiVersion: 'autoscaling/v2',
    kind: 'HorizontalPodAutoscaler',
    metadata: { name: target, namespace: testNamespace },
    spec: {
      scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: target },
      minReplicas,
      maxReplicas: 9,
      metrics: [metric],
    },
  };
}

async function untilReadyReplicas(deployment: string, want: number): Promise<void> {
  await eventually({
    description: `${deployment} to have ${want} ready replicas`,
    timeoutMilliseconds: timeoutMilliseconds,
    probe: async () => {
      const { body } = await cluster.api({
        path: `/apis/apps/v1/namespaces/${testNamespace}/deployments/${deployment}`,
      });
      const { spec, status } = body as { spec: { replicas: number }; status: { readyReplicas?: number } };
      const seen = `spec.replicas is ${spec.replicas}, readyReplicas ${status.readyReplicas ?? 0}`;
      if (spec.replicas !== want || status.readyReplicas !== want) throw new Error(seen);
      return true;
    },
  });
}

async function leaseRenewTime(): Promise<string> {
  const path = `/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/${kwokNodeName}`;
  const { status, body } = await cluster.api({ path });
  if (status !== 200) throw new Error(`the lease is answered with ${status}`);
  return (body as { spec: { renewTime: string } }).spec.renewTime;
}

async function podUsage(app: string): Promise<readonly { readonly cpuMillicores: number }[]> {
  const path = `/apis/metrics.k8s.io/v1beta1/namespaces/${testNamespace}/pods?labelSelector=app%3D${app}`;
  const { body } = await cluster.api({ path });
  const { items } = body as { items: { containers: { usage: { cpu: string } }[] }[] };
  return items.flatMap(({ containers }) =>
    containers.map(({ usage }) => ({ cpuMillicores: toMillicores(usage.cpu) })),
  );
}

/** metrics-server prints nanocores (`89998712n`), or `0`. */
function toMillicores(quantity: string): number {
  return Number(quantity.replace('n', '')) / 1_000_000;
}

async function serveExternalMetric(metricName: string, value: string): Promise<Server> {
  const { certificate, privateKey } = cluster.servingCertificate;
  const groupVersion = `${externalMetrics}/v1beta1`;
  const resource = { name: metricName, namespaced: true, kind: 'ExternalMetricValueList', verbs: ['get'] };
  const discovery = { kind: 'APIResourceList', apiVersion: 'v1', groupVersion, resources: [resource] };
  const server = createServer(
    { cert: readFileSync(certificate), key: readFileSync(privateKey) },
    (request, response) => {
      const item = { metricName, metricLabels: {}, timestamp: new Date().toISOString(), value };
      const values = {
        kind: 'ExternalMetricValueList',
        apiVersion: groupVersion,
        metadata: {},
        items: [item],
      };
      const isMetric = request.url?.startsWith(`/apis/${groupVersion}/namespaces/`) === true;
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify(isMetric ? values : discovery));
    },
  );
  server.listen(0, 'localhost');
  await once(server, 'listening');
  return server;
}

function portOf(server: Server): number {
  return (server.address() as AddressInfo).port;
}

async function connectTo(server: string): Promise<void> {
  const socket = connect(Number(new URL(server).port), '127.0.0.1');
  await once(socket, 'connect');
  socket.destroy();
}
