import type { ObservedMetric } from '#decision';
import { messageOf } from '#kernel';
import type { MetricSpec } from '#policy';
import type { MetricsQuery } from '#reconciliation';
import type { SharedCalls } from './api/shared-calls.ts';
import type { PrometheusClient } from './prometheus/prometheus-client.ts';
import { type CustomMetrics, selectorOf } from './sources/custom-metrics.ts';
import type { ExternalMetrics } from './sources/external-metrics.ts';
import { isTimed, type MetricValue } from './sources/metric-values.ts';
import type { ObservedPodSample, UsageSpec } from './sources/pod-samples.ts';
import type { ResourceMetrics } from './sources/resource-metrics.ts';

/** The sources of one tick, for one namespace. */
export interface TickSources {
  /** Those that all namespaces of the tick share. */
  readonly calls: SharedCalls;
  readonly resource: ResourceMetrics;
  readonly custom: CustomMetrics;
  readonly external: ExternalMetrics;
  readonly prometheus: ReadonlyMap<string, PrometheusClient>;
}

type Of<T extends MetricSpec['type']> = Extract<MetricSpec, { readonly type: T }>;
type QueryScope = Pick<MetricsQuery, 'namespace' | 'selector'>;

/** The observation of one metric; never rejects: what could not be had is an error entry with upstream's words. */
export async function fetchMetric(
  sources: TickSources,
  where: QueryScope,
  metric: MetricSpec,
): Promise<ObservedMetric> {
  try {
    switch (metric.type) {
      case 'Resource':
      case 'ContainerResource':
        return await fetchUsage(sources, where, metric);
      case 'Pods':
        return await fetchPodValues(sources, where, metric);
      case 'Object':
        return await fetchObjectValue(sources, where, metric);
      case 'External':
        return await fetchExternalValues(sources, where, metric);
      case 'Prometheus':
        return await fetchPrometheusValues(sources, metric);
    }
  } catch (error) {
    return metricFailure(metric.type, messageOf(error));
  }
}

async function fetchUsage(
  { resource }: TickSources,
  where: QueryScope,
  metric: UsageSpec,
): Promise<ObservedMetric> {
  const samples = await resource
    .samplesOf(where, metric)
    .catch(explain(`${usageFailure(metric)}unable to fetch metrics from resource metrics API: `));
  return observedUsage(samples, metric);
}

/** The observation of a metric whose samples are there already; undefined: they are not, or could not be had. */
export function presentUsage(
  resource: ResourceMetrics,
  where: QueryScope,
  metric: UsageSpec,
): ObservedMetric | undefined {
  const samples = resource.presentSamplesOf(where, metric);
  return samples === undefined ? undefined : observedUsage(samples, metric);
}

function observedUsage(pods: readonly ObservedPodSample[], metric: UsageSpec): ObservedMetric {
  if (pods.length > 0) return { pods };
  const message = `${usageFailure(metric)}no metrics returned from resource metrics API`;
  return metricFailure(metric.type, message);
}

function usageFailure({ resource }: UsageSpec): string {
  return `unable to get metrics for resource ${resource}: `;
}

async function fetchPodValues(
  { custom }: TickSources,
  where: QueryScope,
  metric: Of<'Pods'>,
): Promise<ObservedMetric> {
  const prefix = `unable to get metric ${metric.metric.name}: `;
  const values = await custom
    .podValues({ ...where, metric: metric.metric })
    .catch(explain(`${prefix}unable to fetch metrics from custom metrics API: `));
  if (values.length === 0)
    return metricFailure('Pods', `${prefix}no metrics returned from custom metrics API`);

  const byPod = new Map(values.map((value) => [value.name, value]));
  return {
    pods: [...byPod.values()].map(({ name, value, timestamp, windowSeconds }) => ({
      pod: name,
      value,
      ...stampOf(timestamp),
      ...(windowSeconds === undefined ? {} : { windowSeconds }),
    })),
  };
}

async function fetchObjectValue(
  { custom }: TickSources,
  { namespace }: QueryScope,
  metric: Of<'Object'>,
): Promise<ObservedMetric> {
  const { kind, name } = metric.describedObject;
  const prefix = `unable to get metric ${metric.metric.name}: ${kind} on ${namespace} ${name}: `;
  const { describedObject } = metric;
  const value = await custom
    .objectValue({ namespace, describedObject, metric: metric.metric })
    .catch(explain(`${prefix}unable to fetch metrics from custom metrics API: `));
  if (value === undefined)
    return metricFailure('Object', `${prefix}no metrics returned from custom metrics API`);
  if (!isTimed(value)) return metricFailure('Object', `${prefix}${noTime(value)}`);
  return { value: value.value, ...stampOf(value.timestamp) };
}

async function fetchExternalValues(
  { external }: TickSources,
  { namespace }: QueryScope,
  { metric }: Of<'External'>,
): Promise<ObservedMetric> {
  const prefix = `unable to get external metric ${namespace}/${metric.name}/${selectorOf(metric) ?? 'nil'}: `;
  const values = await external
    .valuesOf(namespace, metric)
    .catch(explain(`${prefix}unable to fetch metrics from external metrics API: `));
  const untimed = values.find((value) => !isTimed(value));
  // Left out, it would lower the sum.
  if (untimed !== undefined) return metricFailure('External', `${prefix}${noTime(untimed)}`);
  return (
    valuesOf(values) ?? metricFailure('External', `${prefix}no metrics returned from external metrics API`)
  );
}

async function fetchPrometheusValues(
  { prometheus, calls }: TickSources,
  { server, query }: Of<'Prometheus'>,
): Promise<ObservedMetric> {
  const client = prometheus.get(server);
  if (client === undefined)
    return metricFailure('Prometheus', `no Prometheus server named ${server} is configured`);

  const { values, timestamp } = await calls.once(`prometheus/${server}/${query}`, () => client.query(query));
  return { values, timestamp };
}

function valuesOf(values: readonly MetricValue[]): ObservedMetric | undefined {
  const [first] = values;
  if (first === undefined) return undefined;
  return { values: values.map(({ value }) => value), ...stampOf(first.timestamp) };
}

function noTime({ timestamp }: MetricValue): string {
  return `the time of a value is no RFC 3339 time: ${timestamp}`;
}

/** A sample without a timestamp counts as taken now. */
function stampOf(timestamp: string): { readonly timestamp?: string } {
  return timestamp === '' ? {} : { timestamp };
}

function explain(prefix: string): (error: unknown) => never {
  return (error) => {
    throw new Error(prefix + messageOf(error), { cause: error });
  };
}

/** Upstream's reason of the metric's type. */
function metricFailure(type: MetricSpec['type'], message: string): ObservedMetric {
  return { error: { reason: `FailedGet${type}Metric`, message } };
}
