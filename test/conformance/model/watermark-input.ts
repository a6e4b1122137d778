import { secondsAgo } from '../support/expand-vector.ts';
import type {
  CaseCondition,
  CaseCount,
  CaseLimits,
  CaseMetric,
  CasePod,
  WatermarkCase,
} from './watermark-case.ts';

/** A line of the decision contract, as far as the tests take it apart. */
export interface WatermarkInput {
  readonly policy: unknown;
  readonly observation: Readonly<Record<string, unknown>>;
  readonly memory: unknown;
}

/** The case as a line of the decision contract. */
export function inputOf(given: WatermarkCase): WatermarkInput {
  return {
    policy: {
      apiVersion: 'plimsoll.dev/v1alpha1',
      kind: 'AutoscalingPolicy',
      metadata: { name: 'checkout', namespace: 'shop' },
      spec: specOf(given),
    },
    observation: {
      time: secondsAgo(0),
      scale: { specReplicas: given.current, statusReplicas: given.status, selector: 'app=checkout' },
      pods: given.pods.map(podOf),
      metrics: given.metrics.map((metric) => observedOf(metric, given.pods)),
    },
    memory: memoryOf(given),
  };
}

function specOf(given: WatermarkCase): unknown {
  const canBeZero = given.metrics.some(({ kind }) => kind === 'value' || kind === 'average');
  return {
    scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'checkout' },
    minReplicas: canBeZero ? given.min : Math.max(1, given.min),
    maxReplicas: given.max,
    metrics: given.metrics.map(metricOf),
    behavior: { scaleUp: rulesOf(given.up), scaleDown: rulesOf(given.down) },
    replicaStep: given.step,
    convergeTowards: given.converge,
    tolerateZero: given.tolerateZero,
    minAvailablePercent: given.minAvailable,
    ...(given.readinessDelay > 0 ? { readinessDelaySeconds: given.readinessDelay } : {}),
  };
}

function rulesOf(limits: CaseLimits): unknown {
  return {
    limitPercent: limits.limit === null ? null : milli(limits.limit),
    forbiddenWindowSeconds: limits.window,
    delaySeconds: limits.delay,
    stabilizationWindowSeconds: limits.stabilization,
    policies: limits.policies,
    selectPolicy: limits.select,
  };
}

function metricOf(metric: CaseMetric, index: number): unknown {
  const identifier = { name: `q${String(index)}` };
  if (metric.kind === 'average') {
    const target = { type: 'AverageValue', averageValue: milli(metric.high) };
    return { type: 'External', external: { metric: identifier, target } };
  }
  const target = {
    type: 'Watermark',
    lowWatermark: milli(metric.low),
    highWatermark: milli(metric.high),
    tolerance: milli(metric.tolerance),
    algorithm: metric.algorithm,
  };
  if (metric.kind === 'value') return { type: 'External', external: { metric: identifier, target } };
  return { type: 'Resource', resource: { name: metric.kind, target } };
}

function observedOf(metric: CaseMetric, pods: readonly CasePod[]): unknown {
  if (metric.values === null) return { error: { reason: 'Unavailable', message: 'the source is gone' } };
  if (metric.kind === 'value' || metric.kind === 'average') return { values: metric.values.map(milli) };
  const samples = pods.flatMap(({ usage }, index) =>
    usage === null
      ? []
      : [{ pod: nameOf(index), containers: [{ name: 'app', usage: { [metric.kind]: milli(usage) } }] }],
  );
  return { pods: samples };
}

function podOf(pod: CasePod, index: number): unknown {
  return {
    name: nameOf(index),
    phase: pod.phase,
    startTime: pod.started === null ? null : secondsAgo(pod.started),
    deletionTimestamp: pod.deleting ? secondsAgo(1) : null,
    ready: pod.ready && { status: pod.ready.status, lastTransitionTime: secondsAgo(pod.ready.age) },
  };
}

function memoryOf({ memory }: WatermarkCase): unknown {
  const conditions = [
    ...conditionOf('AboveHighWatermark', memory.above),
    ...conditionOf('BelowLowWatermark', memory.below),
    ...conditionOf('AbleToScale', memory.able),
  ];
  return {
    recommendations: memory.recommendations && countsOf(memory.recommendations),
    scaleUpEvents: countsOf(memory.ups),
    scaleDownEvents: countsOf(memory.downs),
    lastScaleTime: memory.lastScale === null ? null : secondsAgo(memory.lastScale),
    conditions,
  };
}

function conditionOf(type: string, condition: CaseCondition | null): readonly unknown[] {
  if (condition === null) return [];
  const lastTransitionTime = secondsAgo(condition.age);
  return [{ type, status: condition.status, reason: 'Remembered', lastTransitionTime }];
}

function countsOf(list: readonly CaseCount[]): unknown {
  return list.map(({ replicas, age }) => ({ replicas, time: secondsAgo(age) }));
}

function nameOf(index: number): string {
  return `p-${String(index).padStart(2, '0')}`;
}

function milli(value: number): string {
  return `${String(value)}m`;
}
