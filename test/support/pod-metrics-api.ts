import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { ControlPlane } from '../control-plane/control-plane.ts';

const groupVersion = 'metrics.k8s.io/v1beta1';

/** A pod that runs. */
export interface RunningPod {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
}

/** What the metrics API of a cluster answers. */
export interface PodMetricsAnswer {
  readonly status: number;
  readonly body: string;
}

/** The metrics API of a real cluster, answered by a test. */
export interface PodMetricsApi {
  /** From now on this answers what is asked about pods, given those of the namespace that run. */
  readonly answerWith: (answer: (pods: readonly RunningPod[]) => PodMetricsAnswer) => void;
  readonly stop: () => Promise<void>;
}

/** Serves metrics.k8s.io in the cluster's name, about one namespace. */
export async function servePodMetrics(
  cluster: ControlPlane,
  namespace: string,
  first: (pods: readonly RunningPod[]) => PodMetricsAnswer,
): Promise<PodMetricsApi> {
  let answer = first;
  const { certificate, privateKey } = cluster.servingCertificate;
  const respond = async (path: string): Promise<PodMetricsAnswer> => {
    if (path.includes('/pods')) return answer(await runningPods(cluster, namespace));
    const found = { kind: 'APIResourceList', apiVersion: 'v1', groupVersion, resources: [] };
    return { status: 200, body: JSON.stringify(found) };
  };
  const server = createServer(
    { cert: readFileSync(certificate), key: readFileSync(privateKey) },
    (request, response) => {
      respond(request.url ?? '/').then(
        ({ status, body }) => response.writeHead(status, { 'content-type': 'application/json' }).end(body),
        () => response.writeHead(500).end(),
      );
    },
  );
  server.listen(0, 'localhost');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  await cluster.registerAggregatedApi({ group: 'metrics.k8s.io', version: 'v1beta1', port });
  return {
    answerWith: (next) => {
      answer = next;
    },
    stop: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

interface Pod {
  readonly metadata: RunningPod & { readonly deletionTimestamp?: string };
  readonly status: { readonly phase?: string };
}

async function runningPods({ api }: ControlPlane, namespace: string): Promise<readonly RunningPod[]> {
  const { body } = await api({ path: `/api/v1/namespaces/${namespace}/pods` });
  const { items } = body as { readonly items: readonly Pod[] };
  return items
    .filter(({ metadata, status }) => metadata.deletionTimestamp === undefined && status.phase === 'Running')
    .map(({ metadata: { name, labels } }) => ({ name, labels }))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
}
