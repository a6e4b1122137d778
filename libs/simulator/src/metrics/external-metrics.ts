import type { JsonObject } from '#kernel';
import { unknownResource } from '../api/status-error.ts';
import { formatMilli } from '../load/milli-quantity.ts';
import { toKubeTime } from '../objects/kube-object.ts';
import { matchesLabels } from '../objects/label-selector.ts';
import { throwIfFailing } from './failing-series.ts';
import type { MetricsOptions, MetricsRequest } from './metrics-request.ts';

/** external.metrics.k8s.io: `namespaces/NS/METRIC`, selected by the metric's labels. */
export function externalMetrics(request: MetricsRequest, { load }: MetricsOptions): JsonObject {
  const [first, namespace = '', metric = '', ...more] = request.segments;
  if (first !== 'namespaces' || metric === '' || more.length > 0) throw unknownResource();
  const known = load.external(namespace, metric);
  if (known.length === 0) throw unknownResource();
  const items = known
    .filter(({ labels }) => matchesLabels(labels, request.labels))
    .flatMap(({ labels, series }) => {
      throwIfFailing(series);
      const value = load.valueAt(series, request.sampledAtMilliseconds);
      if (value === undefined) return [];
      const timestamp = toKubeTime(request.sampledAtMilliseconds);
      return [{ metricName: metric, metricLabels: labels ?? {}, timestamp, value: formatMilli(value) }];
    });
  return {
    kind: 'ExternalMetricValueList',
    apiVersion: 'external.metrics.k8s.io/v1beta1',
    metadata: {},
    items,
  };
}
