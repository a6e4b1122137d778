import type { BehaviorRules } from '../model/behavior.ts';
import type { EffectivePolicy, ScaleTargetRef } from '../model/effective-policy.ts';
import type { MetricSpec } from '../model/metric-spec.ts';
import type { FieldHints, Fields } from '../reading/fields.ts';
import { hpaBehavior, readBehavior } from '../rules/behavior.ts';
import { checkZeroMinimum, readBounds } from '../rules/bounds.ts';
import { type Metadata, readMetadata } from '../rules/metadata.ts';
import { defaultMetric, readMetrics } from '../rules/metrics.ts';
import { readScaleTargetRef } from '../rules/object-reference.ts';
import { defaultIntervalSeconds } from '../schema/autoscaling-policy.ts';
import { horizontalPodAutoscalerSpec } from '../schema/horizontal-pod-autoscaler.ts';
import { fieldsOf, policyDocument } from '../schema/parts.ts';
import type { ReadContext } from './read-context.ts';

/** The fields of a HorizontalPodAutoscaler of any version; `status` is not looked at. */
export const hpaDocumentFields = fieldsOf(policyDocument);
const specFields = fieldsOf(horizontalPodAutoscalerSpec);

const olderSpecFields: FieldHints = {
  targetCPUUtilizationPercentage:
    "this is autoscaling/v1's form: write a metric of type Resource, or apiVersion: autoscaling/v1 (`plimsoll convert` makes v2 of it)",
};

/** Annotations that conversion between the versions takes out, so that the server does not count their bytes. */
export const convertedAnnotations: ReadonlySet<string> = new Set(
  ['metrics', 'behavior', 'current-metrics', 'conditions', 'scale-down-tolerance', 'scale-up-tolerance'].map(
    (name) => `autoscaling.alpha.kubernetes.io/${name}`,
  ),
);

/** Reads an `autoscaling/v2` HorizontalPodAutoscaler (v2beta2 is the same under an older name). */
export function readHorizontalPodAutoscaler(
  document: Fields,
  context: ReadContext,
): EffectivePolicy | undefined {
  document.refuseUnknown(hpaDocumentFields);
  const metadata = readHpaMetadata(document, context);
  const spec = readSpec(document, specFields, olderSpecFields);
  if (spec === undefined) return undefined;
  const bounds = readBounds(spec);
  const target = readScaleTargetRef(spec);
  const read = readMetrics(spec, 'autoscaling/v2');
  checkZeroMinimum(spec, bounds.minReplicas, read);
  const behavior = readBehavior(spec, 'autoscaling/v2');
  return effectiveHpa({
    metadata,
    target,
    bounds,
    metrics: read?.metrics ?? [defaultMetric],
    behavior: hpaBehavior(behavior, behavior !== undefined),
  });
}

/** Metadata by the rules of a HorizontalPodAutoscaler. */
export function readHpaMetadata(document: Fields, context: ReadContext): Metadata {
  return readMetadata(document, { ...context, kind: 'HorizontalPodAutoscaler', convertedAnnotations });
}

/** The `spec` map; a missing one is reported by what it must have. */
export function readSpec(
  document: Fields,
  known: ReadonlySet<string>,
  hints?: FieldHints,
): Fields | undefined {
  return document.requires('spec') ? document.map('spec', known, hints) : undefined;
}

/** What a HorizontalPodAutoscaler of any version comes down to. */
export interface HpaFields {
  readonly metadata: Metadata;
  readonly target: ScaleTargetRef | undefined;
  readonly bounds: { readonly minReplicas: number | undefined; readonly maxReplicas: number | undefined };
  readonly metrics: readonly MetricSpec[];
  readonly behavior: BehaviorRules;
}

/** Puts the policy together; `undefined` where a part is missing (and was reported). */
export function effectiveHpa(fields: HpaFields): EffectivePolicy | undefined {
  const { metadata, target, bounds } = fields;
  const { name, namespace, labels, annotations } = metadata;
  const { minReplicas, maxReplicas } = bounds;
  if (name === undefined || namespace === undefined || target === undefined) return undefined;
  if (minReplicas === undefined || maxReplicas === undefined) return undefined;
  return {
    kind: 'HorizontalPodAutoscaler',
    family: 'hpa',
    namespace,
    name,
    target,
    actuation: 'HorizontalPodAutoscaler',
    enabled: true,
    dryRun: false,
    intervalSeconds: defaultIntervalSeconds,
    minReplicas,
    maxReplicas,
    selectionStrategy: 'LabelSelector',
    sharedSelectorAllowed: false,
    metrics: fields.metrics,
    behavior: fields.behavior,
    ...watermarkExtras,
    schedules: [],
    freezes: [],
    labels,
    annotations,
  };
}

/** The watermark family's settings where nothing says otherwise. */
export const watermarkExtras = {
  replicaStep: 1,
  tolerateZero: false,
  minAvailablePercent: 0,
  readinessDelaySeconds: 0,
} as const;
