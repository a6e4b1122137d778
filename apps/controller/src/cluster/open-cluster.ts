import { type ConnectionSource, type Kubernetes, openKubernetes } from '#adapter-kubernetes';
import { type Metrics, openMetrics } from '#adapter-metrics';
import type { Configuration } from '#configuration';
import type { LogPort } from '#reconciliation';

/** The cluster that policies are carried out on: its objects and its metrics. */
export interface Cluster {
  readonly kubernetes: Kubernetes;
  readonly metrics: Metrics;
  /** Ends every watch and connection. */
  readonly stop: () => Promise<void>;
}

/** Requests at a time to each metrics API: enough for a tick, few enough for a provider that is one process. */
const metricsConcurrency = 8;

/** Opens the cluster of a configuration; nothing is sent before `kubernetes.start`. */
export function openCluster(
  configuration: Pick<Configuration, 'cluster' | 'mode' | 'namespaces' | 'prometheusServers'>,
  log: LogPort,
): Cluster {
  const kubernetes = openKubernetes({
    connection: connectionOf(configuration.cluster),
    namespaces: configuration.namespaces,
    isReadOnly: configuration.mode === 'Observe',
    log,
  });
  const metrics = openMetrics({
    resourceApi: kubernetes.createClient(metricsConcurrency),
    customApi: kubernetes.createClient(metricsConcurrency),
    externalApi: kubernetes.createClient(metricsConcurrency),
    resourceNameOf: kubernetes.resourceNameOf,
    prometheusServers: configuration.prometheusServers,
  });
  return {
    kubernetes,
    metrics,
    stop: async () => {
      await metrics.close();
      await kubernetes.stop();
    },
  };
}

function connectionOf({ kubeconfig, context }: Configuration['cluster']): ConnectionSource {
  if (kubeconfig === undefined) return { kind: 'InCluster' };
  return { kind: 'Kubeconfig', path: kubeconfig, ...(context === undefined ? {} : { context }) };
}
