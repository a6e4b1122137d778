import { channel } from 'node:diagnostics_channel';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { SimulationClock, type Simulator, startSimulator } from '#simulator';
import { leaseNamespace, nameOf, namespaceOf, namespaces, podsPerPolicy } from './fleet.ts';

/** What the bench asks of the cluster; each is answered by a {@link ClusterAnswer}. */
export type ClusterRequest =
  /** From now on the first so many policies want one pod more, then one less, at every sample. */
  | { readonly kind: 'Vary'; readonly policies: number }
  /** Whether the status of every pod changes once per sample. */
  | { readonly kind: 'Churn'; readonly isOn: boolean }
  /** Whether the Prometheus server takes queries and does not answer them. */
  | { readonly kind: 'Hang'; readonly isOn: boolean }
  | { readonly kind: 'Count' };

/** Where the cluster is, and how many requests it has had since it began. */
export interface ClusterAnswer {
  readonly kubeconfig: string;
  readonly prometheusUrl: string;
  readonly reads: number;
  readonly writes: number;
}

/** As often as the Metrics Server by default; also the interval of the policies. */
const sampleSeconds = 15;
const startedBeforeMilliseconds = 3_600_000;
const startUpMilliseconds = 60_000;
const requestedMillicores = 100;
/** At a target of 50 %: 10 pods, and 11. */
const [restingMillicores, varyingMillicores] = [48, 54];
const churnStepMilliseconds = 100;

const policies = Number(process.argv[2]);
const requests = { reads: 0, writes: 0 };
let varying = 0;
let isHanging = false;
let churn: NodeJS.Timeout | undefined;

const clock = SimulationClock.manual(Date.now() - startedBeforeMilliseconds);
const simulator = await startSimulator({ clock, metricsResolutionSeconds: sampleSeconds });
fillCluster(simulator);
clock.advance(startUpMilliseconds);
clock.advance(Date.now() - clock.now());
clock.followWall();
const prometheus = await servePrometheus();
channel('http.server.request.start').subscribe(countRequest);
process.on('message', (request: ClusterRequest) => {
  carryOut(request);
  process.send?.(answer());
});
// The bench has ended, however it did.
process.once('disconnect', () => process.exit());
process.send?.(answer());

function carryOut(request: ClusterRequest): void {
  if (request.kind === 'Vary') varying = request.policies;
  if (request.kind === 'Hang') isHanging = request.isOn;
  if (request.kind !== 'Churn') return;
  clearInterval(churn);
  if (request.isOn) churn = startChurn();
}

function answer(): ClusterAnswer {
  const { port } = prometheus.address() as AddressInfo;
  return { kubeconfig: simulator.kubeconfigYaml, prometheusUrl: `http://127.0.0.1:${port}`, ...requests };
}

function countRequest(message: unknown): void {
  const { request, server } = message as { readonly request: IncomingMessage; readonly server: Server };
  if (server !== prometheus) requests[request.method === 'GET' ? 'reads' : 'writes'] += 1;
}

function fillCluster({ objects, load }: Simulator): void {
  const names = Array.from({ length: namespaces }, (_, index) => namespaceOf(index));
  for (const name of [...names, leaseNamespace])
    objects.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  for (let index = 0; index < policies; index += 1) {
    const [namespace, name] = [namespaceOf(index), nameOf(index)];
    objects.create(deploymentOf(namespace, name));
    const cpu = { kind: 'Computed', at: (seconds: number) => millicoresOf(index, seconds) } as const;
    load.setWorkload({ namespace, kind: 'Deployment', name }, { app: { cpu, share: 'EachPod' } });
  }
}

function millicoresOf(index: number, seconds: number): number {
  if (index >= varying) return restingMillicores;
  return Math.floor(seconds / sampleSeconds) % 2 === 0 ? varyingMillicores : 45;
}

function deploymentOf(namespace: string, name: string): Parameters<Simulator['objects']['create']>[0] {
  const labels = { 'app.kubernetes.io/name': name, 'app.kubernetes.io/part-of': namespace };
  const container = {
    name: 'app',
    image: `registry.example.com/${namespace}/${name}:1.0`,
    resources: { requests: { cpu: `${requestedMillicores}m`, memory: '128Mi' } },
    env: Array.from({ length: 10 }, (_, index) => ({ name: `SETTING_${index}`, value: `value ${index}` })),
  };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { namespace, name, labels },
    spec: {
      replicas: podsPerPolicy,
      selector: { matchLabels: { 'app.kubernetes.io/name': name } },
      template: { metadata: { labels }, spec: { containers: [container] } },
    },
  };
}

/** Changes pods in turn, a few at a time: all of them once per sample. */
function startChurn(): NodeJS.Timeout {
  let next = 0;
  return setInterval(() => {
    const pods = simulator.store.list('/pods');
    const share = Math.ceil((pods.length * churnStepMilliseconds) / (sampleSeconds * 1_000));
    for (let count = 0; count < share; count += 1) {
      const pod = pods[next % pods.length];
      next += 1;
      if (pod === undefined) continue;
      const status = { ...(pod['status'] as object), message: `change ${next}` };
      simulator.store.put('/pods', { ...pod, status });
    }
  }, churnStepMilliseconds);
}

async function servePrometheus(): Promise<Server> {
  const server = createServer((_, response) => {
    if (isHanging) return;
    const data = { resultType: 'scalar', result: [Date.now() / 1_000, '96'] };
    response.end(JSON.stringify({ status: 'success', data }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}
