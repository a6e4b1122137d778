import { formatMilli, type Json, type JsonObject } from '#kernel';
import type { BehaviorRules, DirectionRules } from './behavior.ts';
import type { EffectivePolicy, FreezeSpec, RecommenderSpec, ScheduleSpec } from './effective-policy.ts';
import type { LabelSelector, MetricIdentifier, MetricSpec } from './metric-spec.ts';

/**
 * The policy in the native form, every default filled in, whichever kind of document it came from: what guardrails
 * judge, what a diff compares, and what a person reads. Bounds, limits and tolerances are numbers, quantities texts.
 */
export function toNativeDocument(policy: EffectivePolicy): JsonObject {
  const { name, namespace, labels, annotations } = policy;
  return {
    apiVersion: 'plimsoll.dev/v1alpha1',
    kind: 'AutoscalingPolicy',
    metadata: { name, namespace, labels, annotations },
    spec: nativeSpec(policy),
  };
}

function nativeSpec(policy: EffectivePolicy): JsonObject {
  const isWatermark = policy.family === 'watermark';
  return {
    scaleTargetRef: { ...policy.target },
    actuation: policy.actuation,
    enabled: policy.enabled,
    ...(policy.replicas !== undefined && { replicas: policy.replicas }),
    dryRun: policy.dryRun,
    minReplicas: policy.minReplicas,
    maxReplicas: policy.maxReplicas,
    selectionStrategy: policy.selectionStrategy,
    interval: durationText(policy.intervalSeconds),
    ...(policy.recommender === undefined
      ? { metrics: policy.metrics.map(metricDocument) }
      : { recommender: recommenderDocument(policy.recommender) }),
    ...behaviorDocument(policy.behavior),
    ...(isWatermark && watermarkDocument(policy)),
    ...(policy.lifecycle !== undefined && { lifecycle: { blockedBy: { ...policy.lifecycle } } }),
    ...(policy.schedules.length > 0 && { schedules: policy.schedules.map(scheduleDocument) }),
    ...(policy.freezes.length > 0 && { freeze: policy.freezes.map(freezeDocument) }),
  };
}

function watermarkDocument(policy: EffectivePolicy): JsonObject {
  return {
    replicaStep: policy.replicaStep,
    ...(policy.convergeTowards !== undefined && { convergeTowards: policy.convergeTowards }),
    tolerateZero: policy.tolerateZero,
    minAvailablePercent: policy.minAvailablePercent,
    // The field's least value is 1; 0 is what leaving it out means.
    ...(policy.readinessDelaySeconds > 0 && { readinessDelaySeconds: policy.readinessDelaySeconds }),
  };
}

/** One metric in the native form. */
export function metricDocument(metric: MetricSpec): JsonObject {
  const target = metric.targetDocument;
  switch (metric.type) {
    case 'Resource':
      return { type: metric.type, resource: { name: metric.resource, target } };
    case 'ContainerResource': {
      const { resource, container } = metric;
      return { type: metric.type, containerResource: { name: resource, container, target } };
    }
    case 'Pods':
      return { type: metric.type, pods: { metric: identifierDocument(metric.metric), target } };
    case 'Object': {
      const describedObject = { ...metric.describedObject };
      return {
        type: metric.type,
        object: { describedObject, metric: identifierDocument(metric.metric), target },
      };
    }
    case 'External':
      return { type: metric.type, external: { metric: identifierDocument(metric.metric), target } };
    case 'Prometheus': {
      const { server, query, name } = metric;
      return {
        type: metric.type,
        prometheus: { server, query, ...(name !== undefined && { name }), target },
      };
    }
  }
}

function identifierDocument({ name, selector }: MetricIdentifier): JsonObject {
  return selector === undefined ? { name } : { name, selector: selectorDocument(selector) };
}

function selectorDocument({ matchLabels, matchExpressions }: LabelSelector): JsonObject {
  return {
    ...(matchLabels !== undefined && { matchLabels: { ...matchLabels } }),
    ...(matchExpressions !== undefined && {
      matchExpressions: matchExpressions.map(({ key, operator, values }) => ({
        key,
        operator,
        ...(values !== undefined && { values: [...values] }),
      })),
    }),
  };
}

function recommenderDocument({
  url,
  tls,
  settings,
  targetType,
  lowMilli,
  highMilli,
}: RecommenderSpec): JsonObject {
  return {
    url,
    ...(tls !== undefined && { tlsConfig: { ...tls } }),
    ...(Object.keys(settings).length > 0 && { settings: { ...settings } }),
    ...(targetType !== '' && { targetType }),
    lowWatermark: formatMilli(lowMilli),
    highWatermark: formatMilli(highMilli),
  };
}

/** `behavior`, where a direction has anything. */
function behaviorDocument({ scaleUp, scaleDown }: BehaviorRules): JsonObject {
  const up = directionDocument(scaleUp);
  const down = directionDocument(scaleDown);
  const behavior = {
    ...(Object.keys(up).length > 0 && { scaleUp: up }),
    ...(Object.keys(down).length > 0 && { scaleDown: down }),
  };
  return Object.keys(behavior).length === 0 ? {} : { behavior };
}

function directionDocument(rules: DirectionRules): JsonObject {
  const { limitMilliPercent, tolerance, policies, ...rest } = rules;
  return {
    ...rest,
    ...(policies !== undefined && { policies: policies.map((each): Json => ({ ...each })) }),
    ...(tolerance !== undefined && { tolerance: tolerance.fraction }),
    ...(limitMilliPercent !== undefined && { limitPercent: Number(limitMilliPercent) / 1000 }),
  };
}

function scheduleDocument({ durationSeconds, name, cron, timeZone, ...bounds }: ScheduleSpec): JsonObject {
  return { name, cron, timeZone, duration: durationText(durationSeconds), ...bounds };
}

function freezeDocument({ durationSeconds, name, cron, timeZone, direction }: FreezeSpec): JsonObject {
  return { name, cron, timeZone, duration: durationText(durationSeconds), direction };
}

/** Seconds in the largest unit that divides them: `90s`, `5m`, `2h`. */
function durationText(seconds: number): string {
  if (seconds % 3600 === 0) return `${seconds / 3600}h`;
  return seconds % 60 === 0 ? `${seconds / 60}m` : `${seconds}s`;
}
