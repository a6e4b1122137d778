import type { JsonObject } from '#kernel';
import { notFound, unknownResource } from '../api/status-error.ts';
import type { CustomMetric } from '../load/load-registry.ts';
import { formatMilli } from '../load/milli-quantity.ts';
import { PodUsage } from '../load/pod-usage.ts';
import { type KubeObject, toKubeTime } from '../objects/kube-object.ts';
import { matchesLabels } from '../objects/label-selector.ts';
import { isReady } from '../objects/pod-status.ts';
import { throwIfFailing } from './failing-series.ts';
import type { MetricsOptions, MetricsRequest } from './metrics-request.ts';

/** A path below custom.metrics.k8s.io. */
interface Target {
  readonly namespace: string;
  /** `pods`, `deployments.apps`, or `namespaces` for the namespace itself. */
  readonly resource: string;
  /** `*` for all. */
  readonly name: string;
  readonly metric: string;
}

/** custom.metrics.k8s.io: metrics of pods by selector, and of single objects. */
export function customMetrics(request: MetricsRequest, options: MetricsOptions): JsonObject {
  const target = parseTarget(request.segments);
  const known = options.load.custom(target.metric);
  if (known.length === 0) throw unknownResource();
  const items = known.flatMap((metric) => valuesOf(metric, target, { request, options }));
  if (items.length === 0 && target.name !== '*')
    throw notFound({ group: '', plural: target.resource, kind: '' }, target.name);

  return {
    kind: 'MetricValueList',
    apiVersion: 'custom.metrics.k8s.io/v1beta2',
    metadata: {},
    items,
  };
}

interface Question {
  readonly request: MetricsRequest;
  readonly options: MetricsOptions;
}

function valuesOf(
  custom: CustomMetric,
  target: Target,
  { request, options }: Question,
): readonly JsonObject[] {
  const { subject, series } = custom;
  if (subject.kind === 'Pods') return podValues(custom, target, { request, options });
  const { namespace, resource, name } = subject;
  const isAsked =
    namespace === target.namespace &&
    resource === target.resource &&
    (target.name === '*' || target.name === name);
  if (!isAsked) return [];
  throwIfFailing(series);
  const value = options.load.valueAt(series, request.sampledAtMilliseconds);
  if (value === undefined) return [];
  return [toValue({ kind: resource, namespace, name }, value, { request, target })];
}

function podValues(
  custom: CustomMetric,
  target: Target,
  { request, options }: Question,
): readonly JsonObject[] {
  const { subject, series } = custom;
  if (
    subject.kind !== 'Pods' ||
    target.resource !== 'pods' ||
    subject.workload.namespace !== target.namespace
  )
    return [];

  throwIfFailing(series);
  const value = options.load.valueAt(series, request.sampledAtMilliseconds);
  if (value === undefined) return [];
  const usage = new PodUsage(options, request.sampledAtMilliseconds);
  const isAsked = (pod: KubeObject): boolean => {
    const { kind, name } = usage.workloadOf(pod);
    const isOfWorkload = kind === subject.workload.kind && name === subject.workload.name;
    const isNamed = target.name === '*' || target.name === pod.metadata.name;
    return isOfWorkload && isNamed && isReady(pod) && matchesLabels(pod.metadata.labels, request.labels);
  };
  const pods = options.store.list('/pods', target.namespace).filter(isAsked);
  return pods.map((pod) => {
    const described = {
      kind: 'Pod',
      apiVersion: '/v1',
      namespace: target.namespace,
      name: pod.metadata.name,
    };
    return toValue(described, value / usage.readyPodsBeside(pod), { request, target });
  });
}

function toValue(
  describedObject: JsonObject,
  value: number,
  { request, target }: { readonly request: MetricsRequest; readonly target: Target },
): JsonObject {
  return {
    describedObject,
    metric: { name: target.metric, selector: null },
    timestamp: toKubeTime(request.sampledAtMilliseconds),
    value: formatMilli(value),
  };
}

/** `namespaces/NS/RESOURCE/NAME/METRIC`, or `namespaces/NS/metrics/METRIC` for the namespace itself. */
function parseTarget(segments: readonly string[]): Target {
  const [first, namespace = '', resource = '', name = '', metric] = segments;
  if (first !== 'namespaces' || name === '' || segments.length > 5) throw unknownResource();
  if (resource === 'metrics' && metric === undefined)
    return { namespace, resource: 'namespaces', name: namespace, metric: name };

  if (metric === undefined) throw unknownResource();
  return { namespace, resource, name, metric };
}
