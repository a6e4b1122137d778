import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { ControlPlane } from '../control-plane/control-plane.ts';
import type { Load } from './scenarios.ts';

/** The metrics APIs of a cluster, answered from loads that a test sets: every autoscaler sees the same at one moment. */
export interface TwinMetrics {
  /** By scenario. */
  readonly loads: Map<string, Load>;
  readonly stop: () => Promise<void>;
}

const groups = [
  { group: 'metrics.k8s.io', version: 'v1beta1' },
  { group: 'custom.metrics.k8s.io', version: 'v1beta2' },
  { group: 'external.metrics.k8s.io', version: 'v1beta1' },
] as const;

/** An object, and what a custom metric says of it. */
interface Described {
  readonly kind: string;
  readonly name: string;
  readonly value: number | undefined;
}

interface Pod {
  readonly metadata: {
    readonly name: string;
    readonly labels: Readonly<Record<string, string>>;
    readonly creationTimestamp: string;
    readonly deletionTimestamp?: string;
  };
  readonly status: { readonly phase?: string };
}

/** Serves them in the cluster's name. */
export async function serveTwinMetrics(cluster: ControlPlane, namespace: string): Promise<TwinMetrics> {
  const loads = new Map<string, Load>();
  const { certificate, privateKey } = cluster.servingCertificate;
  const server = createServer(
    { cert: readFileSync(certificate), key: readFileSync(privateKey) },
    (request, response) => {
      const url = new URL(request.url ?? '/', 'https://localhost');
      answer(url).then(
        (body) => response.setHeader('content-type', 'application/json').end(JSON.stringify(body)),
        () => response.writeHead(500).end(),
      );
    },
  );
  const answer = async ({ pathname, searchParams }: URL): Promise<object> => {
    const [, , group = '', version, , , resource, ...described] = pathname.split('/');
    const groupVersion = `${group}/${String(version)}`;
    if (resource === undefined)
      return { kind: 'APIResourceList', apiVersion: 'v1', groupVersion, resources: [] };

    if (group === 'external.metrics.k8s.io') return external(groupVersion, resource);
    const [object = '', metric = ''] = described.map(decodeURIComponent);
    if (resource === 'services')
      return custom(metric, [{ kind: 'Service', name: object, value: loads.get(object)?.hits }]);

    const pods = await podsOf(cluster, namespace, searchParams.get('labelSelector') ?? '');
    if (group === 'custom.metrics.k8s.io') return custom(metric, requestsOf(pods));
    const items = [...Map.groupBy(pods, ({ metadata }) => metadata.labels['app'])].flatMap(([, own]) =>
      samplesOf(own, loadOf(own[0])),
    );
    return { kind: 'PodMetricsList', apiVersion: groupVersion, metadata: {}, items };
  };
  const loadOf = (pod: Pod | undefined): Load => loads.get(pod?.metadata.labels['scenario'] ?? '') ?? {};
  const requestsOf = (pods: readonly Pod[]): readonly Described[] =>
    pods.map((pod) => ({ kind: 'Pod', name: pod.metadata.name, value: loadOf(pod).requestsPerPod }));
  const external = (apiVersion: string, metricName: string): object => {
    const value = String(loads.get(metricName.replace('queue-', ''))?.queue ?? 0);
    const item = { metricName, metricLabels: {}, timestamp: new Date().toISOString(), value };
    return { kind: 'ExternalMetricValueList', apiVersion, metadata: {}, items: [item] };
  };
  const custom = (metric: string, described: readonly Described[]): object => {
    const apiVersion = 'custom.metrics.k8s.io/v1beta2';
    const timestamp = new Date().toISOString();
    const items = described.map(({ kind, name, value }) => ({
      describedObject: { kind, namespace, name, apiVersion: '/v1' },
      metric: { name: metric },
      timestamp,
      windowSeconds: 1,
      value: String(value ?? 0),
    }));
    return { kind: 'MetricValueList', apiVersion, metadata: {}, items };
  };
  server.listen(0, 'localhost');
  await once(server, 'listening');
  for (const served of groups) await cluster.registerAggregatedApi({ ...served, port: portOf(server) });
  return {
    loads,
    stop: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

function portOf(server: Server): number {
  return (server.address() as AddressInfo).port;
}

async function podsOf(
  { api }: ControlPlane,
  namespace: string,
  labelSelector: string,
): Promise<readonly Pod[]> {
  const query = labelSelector === '' ? '' : `?labelSelector=${encodeURIComponent(labelSelector)}`;
  const { body } = await api({ path: `/api/v1/namespaces/${namespace}/pods${query}` });
  const { items } = body as { readonly items: readonly Pod[] };
  return items
    .filter(({ metadata, status }) => metadata.deletionTimestamp === undefined && status.phase === 'Running')
    .toSorted((a, b) => (ageKey(a) < ageKey(b) ? -1 : 1));
}

function ageKey({ metadata: { creationTimestamp, name } }: Pod): string {
  return `${creationTimestamp} ${name}`;
}

/** What the pods of one target use. */
function samplesOf(pods: readonly Pod[], load: Load): readonly object[] {
  const sampled = pods.slice(0, load.sampledPods ?? pods.length);
  const perPod = (total = 0): number => Math.round((total * 1_000) / sampled.length);
  const cpu =
    load.cpuMillicoresPerPod === undefined ? perPod(load.cpuMillicores) : load.cpuMillicoresPerPod * 1_000;
  const timestamp = new Date().toISOString();
  return sampled.map(({ metadata: { name, labels } }) => ({
    metadata: { name, labels },
    timestamp,
    window: '1s',
    containers: [
      { name: 'app', usage: { cpu: `${cpu}u`, memory: `${load.memoryMebibytesPerPod ?? 0}Mi` } },
      { name: 'sidecar', usage: { cpu: `${load.sidecarMillicores ?? 0}m`, memory: '0' } },
    ],
  }));
}
