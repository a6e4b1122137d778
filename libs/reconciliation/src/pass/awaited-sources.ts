import type { EffectivePolicy, MetricSpec } from '#policy';

/**
 * The metric sources that a pass over a policy waits for, in one text: equal where they are the same ones. A source is
 * what hangs by itself: a metrics API, a Prometheus server, the host of a recommender.
 */
export function awaitedSources({
  metrics,
  recommender,
}: Pick<EffectivePolicy, 'metrics' | 'recommender'>): string {
  const sources = new Set(metrics.map(sourceOf));
  if (recommender !== undefined) sources.add(`recommender/${recommenderHost(recommender.url)}`);
  return [...sources].toSorted().join(' ');
}

function sourceOf(metric: MetricSpec): string {
  switch (metric.type) {
    case 'Resource':
    case 'ContainerResource':
      return 'metrics.k8s.io';
    case 'Pods':
    case 'Object':
      return 'custom.metrics.k8s.io';
    case 'External':
      return 'external.metrics.k8s.io';
    case 'Prometheus':
      return `prometheus/${metric.server}`;
  }
}

/** `host` or `host:port` of a recommender's URL, as the configuration names it; empty: it is no URL of HTTP. */
export function recommenderHost(url: string): string {
  return (/^https?:\/\/([^/?#]*)/i.exec(url)?.[1] ?? '').toLowerCase();
}
