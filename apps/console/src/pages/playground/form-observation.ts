import { formatMilli, isJsonObject, type Json, type JsonObject, toMilli } from '#kernel';
import { CronWindows, type EffectivePolicy, type MetricSpec, type MetricTarget } from '#policy';

/** An observation in a few figures, for who has none at hand. */
export interface ObservationForm {
  /** When it was observed, RFC 3339: schedules and freezes are those of then. */
  readonly time: string;
  readonly replicas: number;
  /** Of them, ready. */
  readonly ready: number;
  /** Of each resource that a metric is about, per pod. */
  readonly request: string;
  /** What each metric measures: per pod, or the value. */
  readonly measured: readonly string[];
}

/** When what is given in figures was observed unless it is said: at midnight, so that times are those since the start. */
const figuresTime = '2026-06-15T00:00:00.000Z';

/** A fleet of a thousand is enough to see what a policy does. */
export const maximumFormReplicas = 1_000;

/** A policy has a metric or two. */
const maximumMetrics = 50;

/** Figures of a link; null: they cannot be read. */
export function readForm(value: Json | undefined): ObservationForm | null {
  if (!isJsonObject(value)) return null;
  const { replicas, ready, request, measured } = value;
  const time = isTime(value['time']) ? value['time'] : figuresTime;
  const isRead =
    isCount(replicas) &&
    isCount(ready) &&
    isFigure(request) &&
    Array.isArray(measured) &&
    measured.every(isFigure);
  return isRead ? { time, replicas, ready, request, measured: measured.slice(0, maximumMetrics) } : null;
}

/** Of our times: at the ends of those that a browser counts, an hour before is none. */
function isTime(value: Json | undefined): value is string {
  return typeof value === 'string' && /^[12]\d{3}-.{1,36}$/.test(value) && !Number.isNaN(Date.parse(value));
}

function isCount(value: Json | undefined): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= maximumFormReplicas;
}

function isFigure(value: Json | undefined): value is string {
  return typeof value === 'string' && value.length <= 100;
}

/** What is filled in before anybody does: pods at their target. */
export function formFor({ minReplicas, metrics }: EffectivePolicy): ObservationForm {
  const replicas = Math.min(maximumFormReplicas, Math.max(1, minReplicas));
  return {
    time: figuresTime,
    replicas,
    ready: replicas,
    request: '200m',
    measured: metrics.map((metric) => usualValue(metric, replicas)),
  };
}

/** What a metric measures where it is at its target. */
function usualValue(metric: MetricSpec, replicas: number): string {
  const { target } = metric;
  if (target.type === 'Utilization') return `${(target.averageUtilization ?? 50) * 2}m`;
  const times = isPerPod(target) && !isOfPods(metric) ? BigInt(replicas) : 1n;
  return formatMilli(toMilli(markOf(target) * times));
}

function markOf(target: MetricTarget): bigint {
  if (target.type === 'Watermark') return target.highMilli;
  return target.averageValueMilli ?? target.valueMilli ?? 1_000n;
}

function isPerPod(target: MetricTarget): boolean {
  return target.type === 'AverageValue' || (target.type === 'Watermark' && target.algorithm === 'average');
}

/** Whether it is measured pod by pod. */
function isOfPods({ type }: MetricSpec): boolean {
  return type === 'Resource' || type === 'ContainerResource' || type === 'Pods';
}

/** The observation that the figures stand for. */
export function observationOf(form: ObservationForm, policy: EffectivePolicy): JsonObject {
  const { time, replicas, ready, request } = form;
  const started = new Date(Date.parse(time) - 3_600_000).toISOString();
  const { target } = policy;
  const names = Array.from({ length: replicas }, (_, index) => `${target.name}-${index + 1}`);
  const resources = [
    ...new Set(policy.metrics.flatMap((metric) => ('resource' in metric ? [metric.resource] : []))),
  ];
  const requests = Object.fromEntries(resources.map((resource) => [resource, request]));
  const container = policy.metrics.find((metric) => metric.type === 'ContainerResource')?.container ?? 'main';
  return {
    time,
    windows: new CronWindows().windowsInForce(policy, time).map((window) => ({ ...window })),
    scale: { specReplicas: replicas, statusReplicas: replicas, selector: `app=${target.name}` },
    pods: names.map((name, index) => ({
      name,
      phase: 'Running',
      startTime: started,
      ready: { status: index < ready ? 'True' : 'False', lastTransitionTime: started },
      ownerReferences: [{ ...target, controller: true }],
      containers: [{ name: container, requests }],
    })),
    metrics: policy.metrics.map((metric, index) =>
      answerOf(metric, form.measured[index] ?? '0', { names: names.slice(0, ready), container }),
    ),
  };
}

interface MeasuredPods {
  readonly names: readonly string[];
  readonly container: string;
}

function answerOf(metric: MetricSpec, measured: string, { names, container }: MeasuredPods): JsonObject {
  switch (metric.type) {
    case 'Resource':
    case 'ContainerResource': {
      const containers = [{ name: container, usage: { [metric.resource]: measured } }];
      return { pods: names.map((pod) => ({ pod, containers })) };
    }
    case 'Pods':
      return { pods: names.map((pod) => ({ pod, value: measured })) };
    case 'Object':
      return { value: measured };
    case 'External':
    case 'Prometheus':
      return { values: [measured] };
  }
}
