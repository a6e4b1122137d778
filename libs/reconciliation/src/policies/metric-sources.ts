import type { EffectivePolicy, MetricSpec } from '#policy';

/**
 * Sources of metrics behind the aggregated APIs of the cluster, each with a provider of its own. A source is what fails,
 * hangs or errs by itself.
 */
export const aggregatedSources = {
  resource: 'metrics.k8s.io',
  custom: 'custom.metrics.k8s.io',
  external: 'external.metrics.k8s.io',
} as const;

/** The name of a configured Prometheus server as a source of metrics: `prometheus/main`. */
export function prometheusSource(server: string): string {
  return `prometheus/${server}`;
}

/** The name of a recommender as a source of metrics: `recommender/HOST`. */
export function recommenderSource(host: string): string {
  return `recommender/${host}`;
}

/** `host` or `host:port` of a recommender's URL, in lower case; empty where it names none. */
export function recommenderHost(url: string): string {
  return (/^https?:\/\/([^/?#]*)/i.exec(url)?.[1] ?? '').toLowerCase();
}

/** The source that a metric comes from. */
export function metricSourceOf(metric: MetricSpec): string {
  switch (metric.type) {
    case 'Resource':
    case 'ContainerResource':
      return aggregatedSources.resource;
    case 'Pods':
    case 'Object':
      return aggregatedSources.custom;
    case 'External':
      return aggregatedSources.external;
    case 'Prometheus':
      return prometheusSource(metric.server);
  }
}

/** The source of each of a policy's values, in the order of a decision's `metrics`. */
export function metricSourcesOf({
  metrics,
  recommender,
}: Pick<EffectivePolicy, 'metrics' | 'recommender'>): readonly string[] {
  if (recommender !== undefined) return [recommenderSource(recommenderHost(recommender.url))];
  return metrics.map(metricSourceOf);
}
