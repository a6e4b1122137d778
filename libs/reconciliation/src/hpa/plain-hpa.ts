import type { JsonObject } from '#kernel';
import { type DirectionRules, type EffectivePolicy, metricDocument, type MetricSpec } from '#policy';
import { completeSpec, type ManagedPart } from './managed-part.ts';
import { renderBehavior } from './render-behavior.ts';

/** A policy as an HPA that nothing but the native controller knows. */
export interface PlainHpa {
  /** `autoscaling/v2`, every default filled in; null: no HPA does what the policy says. */
  readonly spec: JsonObject | null;
  /** What the HPA does not say, or why there is none, in sentences. */
  readonly gaps: readonly string[];
}

/** The HPA that comes closest to a policy, without windows and interventions. An HPA that lacks a metric is none. Pure. */
export function plainHpa(policy: EffectivePolicy): PlainHpa {
  const missing = [...statesWithout(policy), ...policy.metrics.flatMap(metricWithout)];
  if (missing.length > 0) return { spec: null, gaps: missing };
  const { behavior } = renderBehavior(policy.behavior, []);
  const spec = completeSpec({
    scaleTargetRef: { ...policy.target },
    minReplicas: policy.minReplicas,
    maxReplicas: policy.maxReplicas,
    metrics: policy.metrics.map(nativeMetric),
    ...(behavior !== null && { behavior }),
  });
  return { spec, gaps: gapsOf(policy) };
}

/** The HPA as an object to apply. */
export function plainHpaManifest({ namespace, name }: EffectivePolicy, spec: JsonObject): JsonObject {
  return {
    apiVersion: 'autoscaling/v2',
    kind: 'HorizontalPodAutoscaler',
    metadata: { name, namespace },
    spec,
  };
}

/** What of it Plimsoll decides: nothing of its metadata. */
export function plainManagedPart(spec: JsonObject): ManagedPart {
  return { labels: {}, annotations: {}, controller: null, spec: completeSpec(spec) };
}

function statesWithout({ enabled, dryRun, recommender }: EffectivePolicy): readonly string[] {
  return [
    ...(enabled ? [] : ['the policy is disabled: nothing scales its target, and nothing will']),
    ...(dryRun ? ['the policy is a dry run: nothing scales its target by it, and nothing will'] : []),
    ...(recommender === undefined ? [] : ['autoscaling/v2 asks no recommender for a count']),
  ];
}

function metricWithout(metric: MetricSpec): readonly string[] {
  if (metric.type === 'Prometheus') {
    return [
      'autoscaling/v2 has no Prometheus metric; an External metric of an adapter can have the same query',
    ];
  }
  if (metric.target.type !== 'Watermark') return [];
  return [`autoscaling/v2 has no watermarks, between which metric ${nameOf(metric)} moves nothing`];
}

function nameOf(metric: Exclude<MetricSpec, { readonly type: 'Prometheus' }>): string {
  return 'resource' in metric ? metric.resource : metric.metric.name;
}

/** The tolerance of a metric has no place; one of a direction has. */
function nativeMetric(metric: MetricSpec): JsonObject {
  const targetDocument = Object.fromEntries(
    Object.entries(metric.targetDocument).filter(([name]) => name !== 'tolerance'),
  );
  return metricDocument({ ...metric, targetDocument });
}

/** Of the native controller, in seconds. */
const nativeInterval = 15;

function gapsOf(policy: EffectivePolicy): readonly string[] {
  const { behavior, freezes, intervalSeconds, lifecycle, metrics, minReplicas, schedules } = policy;
  const own = [...ownFields(behavior.scaleUp), ...ownFields(behavior.scaleDown)];
  const lines: readonly (readonly [boolean, string])[] = [
    [schedules.length > 0, `its schedules do not go on: ${names(schedules)}`],
    [freezes.length > 0, `its freezes do not go on: ${names(freezes)}`],
    [lifecycle !== undefined, 'no object blocks it any more (lifecycle)'],
    [own.length > 0, `${[...new Set(own)].join(', ')} of its behavior have no place in autoscaling/v2`],
    [metrics.some(hasTolerance), 'a tolerance of a single metric has no place in autoscaling/v2'],
    [
      policy.selectionStrategy === 'OwnerReference',
      'pods are counted by the label selector alone, and not by their owners',
    ],
    [minReplicas === 0, 'minReplicas 0 needs the feature HPAScaleToZero of the API server'],
    [
      intervalSeconds !== nativeInterval,
      `it is looked at every ${nativeInterval} s, and not every ${intervalSeconds} s`,
    ],
  ];
  return lines.flatMap(([isSo, text]) => (isSo ? [text] : []));
}

function hasTolerance({ target }: MetricSpec): boolean {
  return target.type !== 'Watermark' && target.tolerance !== undefined;
}

function ownFields(rules: DirectionRules): readonly string[] {
  const fields = [
    ['limitPercent', rules.limitMilliPercent],
    ['forbiddenWindowSeconds', rules.forbiddenWindowSeconds],
    ['delaySeconds', rules.delaySeconds],
  ] as const;
  return fields.flatMap(([name, value]) => (value === undefined || value === 0 ? [] : [name]));
}

function names(items: readonly { readonly name: string }[]): string {
  return items.map(({ name }) => name).join(', ');
}
