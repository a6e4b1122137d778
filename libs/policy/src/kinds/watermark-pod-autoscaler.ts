import type { BehaviorRules } from '../model/behavior.ts';
import type { EffectivePolicy, LifecycleBlock } from '../model/effective-policy.ts';
import type { Fields } from '../reading/fields.ts';
import { showValue } from '../reading/show-value.ts';
import { watermarkDefaults } from '../rules/behavior.ts';
import { readWatermarkTolerance, toleranceDefaultMilli } from '../rules/marks.ts';
import { type Metadata, readMetadata } from '../rules/metadata.ts';
import { readScaleTargetRef } from '../rules/object-reference.ts';
import { readRecommender } from '../rules/recommender.ts';
import { readLimit } from '../rules/velocity.ts';
import { defaultIntervalSeconds } from '../schema/autoscaling-policy.ts';
import { fieldsOf, policyDocument } from '../schema/parts.ts';
import { watermarkSpec } from '../schema/watermark-pod-autoscaler.ts';
import { readSpec } from './horizontal-pod-autoscaler.ts';
import type { ReadContext } from './read-context.ts';
import { readWatermarkMetrics, type SharedTarget } from './watermark-metrics.ts';

const documentFields = fieldsOf(policyDocument);
const specFields = fieldsOf(watermarkSpec);
const known = watermarkSpec.properties;

const lifecycleAnnotation = 'wpa.datadoghq.com/lifecycle-control.enabled';
const skipOwnerCheckAnnotation = 'wpa.datadoghq.com/skip-owner-check';
const trueTexts = new Set(['1', 't', 'T', 'TRUE', 'true', 'True']);
const falseTexts = new Set(['0', 'f', 'F', 'FALSE', 'false', 'False']);

/** Reads a `datadoghq.com/v1alpha1` WatermarkPodAutoscaler: defaults first, then its schema and its controller's rules. */
export function readWatermarkPodAutoscaler(
  document: Fields,
  context: ReadContext,
): EffectivePolicy | undefined {
  document.refuseUnknown(documentFields);
  const metadata = readMetadata(document, { ...context, kind: 'WatermarkPodAutoscaler' });
  const lifecycle = readLifecycle(document, metadata);
  const spec = readSpec(document, specFields);
  if (spec === undefined) return undefined;
  const target = readScaleTargetRef(spec);
  const bounds = readWatermarkBounds(spec);
  const settings = readSettings(spec);
  const load = readLoad(spec, context);
  const { name, namespace, labels, annotations } = metadata;
  if (name === undefined || namespace === undefined || target === undefined) return undefined;
  if (bounds === undefined || load === undefined) return undefined;
  const skipsOwnerCheck = annotations[skipOwnerCheckAnnotation] === 'true';
  return {
    kind: 'WatermarkPodAutoscaler',
    family: 'watermark',
    namespace,
    name,
    target,
    actuation: 'Scale',
    enabled: true,
    intervalSeconds: defaultIntervalSeconds,
    ...bounds,
    selectionStrategy: skipsOwnerCheck ? 'LabelSelector' : 'OwnerReference',
    sharedSelectorAllowed: skipsOwnerCheck,
    ...load,
    ...settings,
    ...(lifecycle !== undefined && { lifecycle }),
    schedules: [],
    freezes: [],
    labels,
    annotations,
  };
}

/** The annotation means the DatadogMonitor of the document's own name. */
function readLifecycle(document: Fields, { name, annotations }: Metadata): LifecycleBlock | undefined {
  const text = annotations[lifecycleAnnotation];
  if (text === undefined || falseTexts.has(text)) return undefined;
  if (!trueTexts.has(text)) {
    const place = document.place.child('metadata').child('annotations').child(lifecycleAnnotation);
    const message = `${lifecycleAnnotation} must be "true" or "false", is ${showValue(text)}`;
    place.report({ code: 'InvalidValue', message });
    return undefined;
  }
  if (name === undefined) return undefined;
  return {
    apiVersion: 'datadoghq.com/v1alpha1',
    kind: 'DatadogMonitor',
    name,
    jsonPath: '.status.monitorState',
    notEqual: 'OK',
  };
}

/** As the HPA's, but a minimum of 0 counts as 1. */
function readWatermarkBounds(spec: Fields): { minReplicas: number; maxReplicas: number } | undefined {
  const written = spec.has('minReplicas') ? spec.int32('minReplicas', known.minReplicas) : 1;
  const minReplicas = written === undefined ? undefined : Math.max(1, written);
  const maxReplicas = spec.requires('maxReplicas') ? spec.int32('maxReplicas', known.maxReplicas) : undefined;
  if (minReplicas === undefined || maxReplicas === undefined) return undefined;
  if (maxReplicas >= minReplicas) return { minReplicas, maxReplicas };
  const message = `maxReplicas must be at least minReplicas (${minReplicas}), is ${maxReplicas}`;
  spec.report('maxReplicas', { code: 'OutOfRange', message });
  return undefined;
}

type Settings = Pick<
  EffectivePolicy,
  | 'behavior'
  | 'replicaStep'
  | 'convergeTowards'
  | 'tolerateZero'
  | 'dryRun'
  | 'minAvailablePercent'
  | 'readinessDelaySeconds'
>;

function readSettings(spec: Fields): Settings {
  const convergeTowards = readConvergence(spec);
  return {
    behavior: readBehavior(spec),
    replicaStep: spec.int32('replicaScalingAbsoluteModulo', known.replicaScalingAbsoluteModulo) ?? 1,
    ...(convergeTowards !== undefined && { convergeTowards }),
    tolerateZero: spec.boolean('tolerateZero') ?? false,
    dryRun: spec.boolean('dryRun') ?? false,
    // Its schema has no minimum, and no share of ready pods is below 0.
    minAvailablePercent: Math.max(
      0,
      spec.int32('minAvailableReplicaPercentage', known.minAvailableReplicaPercentage) ?? 0,
    ),
    readinessDelaySeconds: spec.int32('readinessDelaySeconds', known.readinessDelaySeconds) ?? 0,
  };
}

function readBehavior(spec: Fields): BehaviorRules {
  const { scaleUp, scaleDown } = watermarkDefaults;
  const up = readLimit(spec, 'scaleUpLimitFactor', { direction: 'scaleUp', form: 'Whole' });
  const down = readLimit(spec, 'scaleDownLimitFactor', { direction: 'scaleDown', form: 'Whole' });
  const upWindow = readWindow(spec, 'upscaleForbiddenWindowSeconds');
  const downWindow = readWindow(spec, 'downscaleForbiddenWindowSeconds');
  const upDelay = spec.int32('upscaleDelayAboveWatermarkSeconds', known.upscaleDelayAboveWatermarkSeconds);
  const downDelay = spec.int32(
    'downscaleDelayBelowWatermarkSeconds',
    known.downscaleDelayBelowWatermarkSeconds,
  );
  return {
    isSet: false,
    scaleUp: {
      ...scaleUp,
      ...(up !== undefined && { limitMilliPercent: up }),
      ...(upWindow !== undefined && { forbiddenWindowSeconds: upWindow }),
      ...(upDelay !== undefined && { delaySeconds: upDelay }),
    },
    scaleDown: {
      ...scaleDown,
      ...(down !== undefined && { limitMilliPercent: down }),
      ...(downWindow !== undefined && { forbiddenWindowSeconds: downWindow }),
      ...(downDelay !== undefined && { delaySeconds: downDelay }),
    },
  };
}

/** A window of 0 is the default, as the original writes the default over it. */
function readWindow(
  spec: Fields,
  name: 'upscaleForbiddenWindowSeconds' | 'downscaleForbiddenWindowSeconds',
): number | undefined {
  const seconds = spec.int32(name, known[name]);
  return seconds === 0 ? undefined : seconds;
}

function readConvergence(spec: Fields): 'HighWatermark' | 'LowWatermark' | undefined {
  const text = spec.string('convergeTowardsWatermark');
  if (text === 'highwatermark') return 'HighWatermark';
  if (text === 'lowwatermark') return 'LowWatermark';
  if (text !== undefined && text !== '') {
    warnIgnored(
      spec,
      'convergeTowardsWatermark',
      'is neither highwatermark nor lowwatermark: it does not converge',
    );
  }
  return undefined;
}

function warnIgnored(spec: Fields, name: string, meaning: string): void {
  const message = `${name} ${showValue(spec.raw(name))} ${meaning}`;
  spec.report(name, { severity: 'warning', code: 'IgnoredValue', message });
}

type Load = Pick<EffectivePolicy, 'metrics' | 'recommender'>;

/** Metrics or a recommender: exactly one of the two. */
function readLoad(spec: Fields, context: ReadContext): Load | undefined {
  const shared = readSharedTarget(spec);
  const metrics = readWatermarkMetrics(spec, shared);
  const recommender = readRecommender(spec, { form: 'Whole', hosts: context.recommenderHosts });
  if (!checkOneLoad(spec)) return undefined;
  if (recommender !== undefined) return { metrics: [], recommender };
  return { metrics };
}

/** Reports where there are both metrics and a recommender, or neither. */
export function checkOneLoad(spec: Fields): boolean {
  const metrics = spec.raw('metrics');
  const hasMetrics = metrics !== undefined && !(Array.isArray(metrics) && metrics.length === 0);
  const hasRecommender = spec.has('recommender');
  if (hasMetrics !== hasRecommender) return true;
  if (hasMetrics)
    spec.report('recommender', { code: 'Forbidden', message: 'metrics and recommender exclude each other' });
  else spec.missing('metrics', 'or recommender: with neither, nothing says how many replicas are needed');
  return false;
}

/** The document's own algorithm and tolerance, which its metrics share. A tolerance of 0 is the default. */
function readSharedTarget(spec: Fields): SharedTarget {
  const text = spec.string('algorithm');
  const isKnown = text === undefined || text === '' || text === 'absolute' || text === 'average';
  if (!isKnown) warnIgnored(spec, 'algorithm', 'is neither absolute nor average: it counts as absolute');
  const algorithm = text === 'average' ? 'average' : 'absolute';
  const milli = readWatermarkTolerance(spec, 'Whole') ?? 0;
  const toleranceMilli = milli === 0 ? toleranceDefaultMilli : milli;
  return { algorithm, toleranceMilli, document: { algorithm, tolerance: String(toleranceMilli / 1000) } };
}
