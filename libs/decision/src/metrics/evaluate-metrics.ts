import { formatMilli, type JsonObject, labelSelectorText, toMilli } from '#kernel';
import type { MetricIdentifier, MetricSpec } from '#policy';
import type { EvaluatedMetric, MetricResult } from '../evaluation/evaluated-metric.ts';
import type { MetricReport, MetricReportType } from '../model/decision.ts';
import type { ObservedMetric } from '../model/observation.ts';
import type { MetricContext } from './metric-context.ts';
import { perPodMetric } from './per-pod-metric.ts';
import { recommenderMetric, recommenderName } from './recommender-metric.ts';
import { failureReasons } from './source-failure.ts';
import { valueMetric } from './value-metric.ts';
import { watermarkResourceMetric } from './watermark-resource-metric.ts';
import { watermarkValueMetric } from './watermark-value-metric.ts';

/** Evaluates every metric of the policy in order, or its recommender. */
export function evaluateMetrics(context: MetricContext): readonly EvaluatedMetric[] {
  const { policy, observation } = context.evaluation;
  const { recommender } = policy;
  if (recommender !== undefined) {
    const result = recommenderMetric(context);
    const name = recommenderName(recommender);
    const target: JsonObject = {
      type: 'Watermark',
      targetType: recommender.targetType,
      lowWatermark: formatMilli(toMilli(recommender.lowMilli)),
      highWatermark: formatMilli(toMilli(recommender.highMilli)),
    };
    return [
      describe(context, result, {
        type: 'Recommender',
        name,
        target,
        failureReason: failureReasons.Recommender,
        rescaleName: name,
      }),
    ];
  }
  const observed = observation.metrics ?? [];
  return policy.metrics.map((spec, index) => {
    const result = evaluateMetric(context, { spec, observed: observed[index] ?? undefined });
    return describe(context, result, {
      type: spec.type,
      name: reportName(spec),
      target: spec.targetDocument,
      failureReason: failureReasons[spec.type],
      rescaleName: rescaleName(spec),
    });
  });
}

interface Given {
  readonly spec: MetricSpec;
  readonly observed: ObservedMetric | undefined;
}

function evaluateMetric(context: MetricContext, { spec, observed }: Given): MetricResult {
  switch (spec.type) {
    case 'Resource':
    case 'ContainerResource':
      return spec.target.type === 'Watermark'
        ? watermarkResourceMetric(context, { spec, target: spec.target, observed })
        : perPodMetric(context, { spec, target: spec.target, observed });
    case 'Pods':
      return perPodMetric(context, { spec, target: spec.target, observed });
    case 'Object':
    case 'External':
    case 'Prometheus':
      return spec.target.type === 'Watermark'
        ? watermarkValueMetric(context, { spec, target: spec.target, observed })
        : valueMetric(context, { spec, target: spec.target, observed });
  }
}

/** How a metric is called, and what it is held against. */
interface Metric {
  readonly type: MetricReportType;
  readonly name: string;
  readonly target: JsonObject;
  readonly failureReason: string;
  readonly rescaleName: string;
}

function describe({ selected }: MetricContext, result: MetricResult, metric: Metric): EvaluatedMetric {
  const { type, name, target, failureReason, rescaleName } = metric;
  const { ready, unready, missing, ignored } = result.pods;
  const { names: considered, filteredOut } = selected;
  const report: MetricReport = {
    type,
    name,
    target,
    current: result.ok ? result.current : {},
    proposedReplicas: result.ok ? result.proposal : null,
    error: result.ok ? null : { reason: failureReason, message: result.message },
    pods: { considered, ready, unready, missing, ignored, filteredOut },
  };
  return { result, report, failureReason, rescaleName };
}

function reportName(spec: MetricSpec): string {
  switch (spec.type) {
    case 'Resource':
      return spec.resource;
    case 'ContainerResource':
      return `${spec.container}/${spec.resource}`;
    case 'Prometheus':
      return spec.name ?? spec.query;
    default:
      return spec.metric.name;
  }
}

/**
 * As upstream names a metric in `… above target`.
 *
 * @see docs/spec/horizontal-pod-autoscaler-rules.md "Names of metrics in reasons and Events"
 */
function rescaleName(spec: MetricSpec): string {
  switch (spec.type) {
    case 'Resource':
    case 'ContainerResource':
      return resourceName(spec);
    case 'Pods':
      return `pods metric ${spec.metric.name}`;
    case 'Object':
      return isAverage(spec)
        ? externalName(spec.metric)
        : `${spec.describedObject.kind} metric ${spec.metric.name}`;
    case 'External':
      return externalName(spec.metric);
    case 'Prometheus':
      return externalName({ name: spec.name ?? spec.query });
  }
}

function resourceName(spec: Extract<MetricSpec, { resource: string }>): string {
  const { resource, target, type } = spec;
  if (target.type === 'Watermark' || target.averageValueMilli !== undefined) return `${resource} resource`;
  const what = type === 'ContainerResource' ? 'container resource' : 'resource';
  return `${resource} ${what} utilization (percentage of request)`;
}

function isAverage({ target }: Extract<MetricSpec, { type: 'Object' }>): boolean {
  return target.type === 'AverageValue' && target.averageValueMilli !== undefined;
}

function externalName({ name, selector }: MetricIdentifier): string {
  return `external metric ${name}(${selector === undefined ? 'nil' : labelSelectorText(selector)})`;
}
