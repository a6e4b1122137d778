import { type ConnectionSource, type Kubernetes, openKubernetes } from '#adapter-kubernetes';
import { type Metrics, type MetricsOptions, openMetrics, type PrometheusServer } from '#adapter-metrics';
import type { Configuration } from '#configuration';
import { withoutUndefined } from '#kernel';
import type { LogPort } from '#reconciliation';

/** The cluster that policies are carried out on: its objects and its metrics. */
export interface Cluster {
  readonly kubernetes: Kubernetes;
  readonly metrics: Metrics;
  /** Applies what of another configuration needs no new connection: the mode, the Prometheus servers and the recommenders. */
  readonly reconfigure: (configuration: ClusterSettings) => void;
  /** Ends every watch and connection; once, however often it is called. */
  readonly stop: () => Promise<void>;
}

/** Connections of each metrics API; its source lets fewer requests through. */
const metricsConcurrency = 16;

/** What of the configuration concerns the cluster and its metrics. */
type ClusterSettings = Pick<
  Configuration,
  | 'cluster'
  | 'mode'
  | 'namespaces'
  | 'owners'
  | 'prometheusServers'
  | 'recommenderHosts'
  | 'recommenderTlsFolder'
>;

/** Opens the cluster of a configuration; nothing is sent before `kubernetes.start`. */
export function openCluster(
  configuration: ClusterSettings,
  { log, noteWork }: { readonly log: LogPort; readonly noteWork: (work: string) => void },
): Cluster {
  const kubernetes = openKubernetes({
    connection: connectionOf(configuration.cluster),
    namespaces: configuration.namespaces,
    isReadOnly: configuration.mode === 'Observe',
    log,
    noteWork,
    ownerLifetimeSeconds: configuration.owners.ttlSeconds,
    ownerAbsenceSeconds: configuration.owners.negativeTtlSeconds,
  });
  const metrics = openMetrics({
    resourceApi: kubernetes.createClient(metricsConcurrency),
    customApi: kubernetes.createClient(metricsConcurrency),
    externalApi: kubernetes.createClient(metricsConcurrency),
    resourceNameOf: kubernetes.resourceNameOf,
    ...configuredSources(configuration),
  });
  let stopping: Promise<void> | undefined;
  const stop = async (): Promise<void> => {
    await metrics.close();
    await kubernetes.stop();
  };
  return {
    kubernetes,
    metrics,
    reconfigure: (changed) => {
      kubernetes.setReadOnly(changed.mode === 'Observe');
      metrics.reconfigure(configuredSources(changed));
    },
    stop: () => (stopping ??= stop()),
  };
}

function configuredSources(
  configuration: ClusterSettings,
): Pick<MetricsOptions, 'prometheusServers' | 'recommenders'> {
  return {
    prometheusServers: configuration.prometheusServers.map(prometheusServerOf),
    recommenders: recommendersOf(configuration),
  };
}

function prometheusServerOf(server: Configuration['prometheusServers'][number]): PrometheusServer {
  const { name, url, timeoutSeconds, ...files } = server;
  return { name, url, ...withoutUndefined(files), timeoutMilliseconds: timeoutSeconds * 1_000 };
}

function recommendersOf({
  cluster,
  recommenderHosts,
  recommenderTlsFolder: tlsFolder,
}: ClusterSettings): MetricsOptions['recommenders'] {
  return {
    cluster: cluster.name,
    hosts: recommenderHosts,
    ...(tlsFolder === undefined ? {} : { tlsFolder }),
  };
}

function connectionOf({ kubeconfig, context }: Configuration['cluster']): ConnectionSource {
  if (kubeconfig === undefined) return { kind: 'InCluster' };
  return { kind: 'Kubeconfig', path: kubeconfig, ...(context === undefined ? {} : { context }) };
}
