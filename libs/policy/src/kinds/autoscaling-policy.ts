import { apiGroupOf, parseJsonPath } from '#kernel';
import type { BehaviorRules } from '../model/behavior.ts';
import type { Actuation, EffectivePolicy, LifecycleBlock, PolicyFamily } from '../model/effective-policy.ts';
import type { Fields } from '../reading/fields.ts';
import { readName } from '../reading/named.ts';
import { hpaBehavior, readBehavior, watermarkBehavior, type WrittenBehavior } from '../rules/behavior.ts';
import { type Bounds, checkZeroMinimum, mayBeZero, readBounds, warnOutsideBounds } from '../rules/bounds.ts';
import { readDuration } from '../rules/durations.ts';
import { readMetadata } from '../rules/metadata.ts';
import type { ReadMetrics } from '../rules/metric-list.ts';
import { defaultMetric, readMetrics } from '../rules/metrics.ts';
import { pathSegmentFault } from '../rules/names.ts';
import { readObjectVersion, readScaleTargetRef } from '../rules/object-reference.ts';
import { readRecommender } from '../rules/recommender.ts';
import { readWindows } from '../rules/windows.ts';
import {
  autoscalingPolicySpec,
  blockedBySchema,
  defaultIntervalSeconds,
  intervalRule,
  lifecycleSchema,
} from '../schema/autoscaling-policy.ts';
import { fieldsOf, policyDocument } from '../schema/parts.ts';
import { checkFamily, checkRendering, checkServers } from './autoscaling-policy-checks.ts';
import { readSpec } from './horizontal-pod-autoscaler.ts';
import type { ReadContext } from './read-context.ts';

const documentFields = fieldsOf(policyDocument);
const lifecycleFields = fieldsOf(lifecycleSchema);
const blockedByFields = fieldsOf(blockedBySchema);
const known = autoscalingPolicySpec.properties;

/** The fields of `spec`, in the order in which the native form is written. */
export const specFields = fieldsOf(autoscalingPolicySpec);

/** Reads a `plimsoll.dev/v1alpha1` AutoscalingPolicy. */
export function readAutoscalingPolicy(document: Fields, context: ReadContext): EffectivePolicy | undefined {
  document.refuseUnknown(documentFields);
  const metadata = readMetadata(document, { ...context, kind: 'AutoscalingPolicy' });
  const spec = readSpec(document, specFields);
  if (spec === undefined) return undefined;
  const target = readScaleTargetRef(spec);
  const body = readBody(spec, context);
  const { name, namespace, labels, annotations } = metadata;
  if (name === undefined || namespace === undefined || target === undefined || body === undefined)
    return undefined;
  return { kind: 'AutoscalingPolicy', namespace, name, target, ...body, labels, annotations };
}

/** Checks the fields that a PolicyDefaults may fill in, each by itself: what they make of a policy is judged there. */
export function readDefaultableFields(values: Fields): void {
  values.int32('minReplicas', known.minReplicas);
  values.int32('maxReplicas', known.maxReplicas);
  readMetrics(values, 'native');
  readRecommender(values, { form: 'Number' });
  readBehavior(values, 'native');
  readGeneral(values, { minReplicas: undefined, maxReplicas: undefined });
  readExtras(values);
}

type Body = Omit<EffectivePolicy, 'kind' | 'namespace' | 'name' | 'target' | 'labels' | 'annotations'>;

function readBody(spec: Fields, context: ReadContext): Body | undefined {
  const bounds = readBounds(spec);
  const load = readLoad(spec, context);
  checkZeroMinimum(spec, bounds.minReplicas, load.read);
  const written = readBehavior(spec, 'native');
  const general = readGeneral(spec, bounds);
  const extras = readExtras(spec);
  const windows = readWindows(spec, { ...bounds, mayBeZero: mayBeZero(spec, load.read) });
  checkFamily(spec, written);
  if (general.actuation === 'HorizontalPodAutoscaler') checkRendering(spec, written, context);
  if (context.prometheusServers !== undefined) checkServers(spec, load.metrics, context.prometheusServers);
  const { minReplicas, maxReplicas } = bounds;
  if (minReplicas === undefined || maxReplicas === undefined) return undefined;
  return {
    family: load.family,
    ...general,
    // A watermark policy never scales to zero: its minimum of 0 counts as 1.
    minReplicas: load.family === 'watermark' ? Math.max(1, minReplicas) : minReplicas,
    maxReplicas,
    sharedSelectorAllowed: false,
    metrics: load.metrics,
    ...(load.recommender !== undefined && { recommender: load.recommender }),
    behavior: effectiveBehavior(written, load.family, general.actuation),
    ...extras,
    ...windows,
  };
}

interface Load extends Pick<EffectivePolicy, 'metrics' | 'recommender'> {
  readonly read: ReadMetrics | undefined;
  readonly family: PolicyFamily;
}

function readLoad(spec: Fields, context: ReadContext): Load {
  const read = readMetrics(spec, 'native');
  if (spec.has('recommender')) return readRecommendedLoad(spec, read, context);
  const metrics = read?.metrics ?? [defaultMetric];
  const isWatermark = metrics.some((metric) => metric.target.type === 'Watermark');
  return { read, metrics, family: isWatermark ? 'watermark' : 'hpa' };
}

function readRecommendedLoad(spec: Fields, read: ReadMetrics | undefined, context: ReadContext): Load {
  const recommender = readRecommender(spec, { form: 'Number', hosts: context.recommenderHosts });
  if (read !== undefined)
    spec.report('recommender', { code: 'Forbidden', message: 'metrics and recommender exclude each other' });
  return { read, metrics: [], family: 'watermark', ...(recommender !== undefined && { recommender }) };
}

type General = Pick<
  EffectivePolicy,
  'actuation' | 'enabled' | 'replicas' | 'dryRun' | 'selectionStrategy' | 'intervalSeconds'
>;

function readGeneral(spec: Fields, bounds: Bounds): General {
  // Beside a minimum that is wrong nothing is known of a count of 0.
  const replicas = spec.int32('replicas', (bounds.minReplicas ?? 0) === 0 ? known.replicas : { minimum: 1 });
  if (replicas !== undefined) warnOutsideBounds(spec, replicas, bounds);
  return {
    actuation: spec.word('actuation', known.actuation.enum) ?? 'Scale',
    enabled: spec.boolean('enabled') ?? true,
    ...(replicas !== undefined && { replicas }),
    dryRun: spec.boolean('dryRun') ?? false,
    selectionStrategy: spec.word('selectionStrategy', known.selectionStrategy.enum) ?? 'LabelSelector',
    intervalSeconds: readDuration(spec, 'interval', intervalRule) ?? defaultIntervalSeconds,
  };
}

type Extras = Pick<
  EffectivePolicy,
  | 'replicaStep'
  | 'convergeTowards'
  | 'tolerateZero'
  | 'minAvailablePercent'
  | 'readinessDelaySeconds'
  | 'lifecycle'
>;

function readExtras(spec: Fields): Extras {
  const convergeTowards = spec.word('convergeTowards', known.convergeTowards.enum);
  const lifecycle = readLifecycle(spec);
  return {
    replicaStep: spec.int32('replicaStep', known.replicaStep) ?? 1,
    ...(convergeTowards !== undefined && { convergeTowards }),
    tolerateZero: spec.boolean('tolerateZero') ?? false,
    minAvailablePercent: spec.int32('minAvailablePercent', known.minAvailablePercent) ?? 0,
    readinessDelaySeconds: spec.int32('readinessDelaySeconds', known.readinessDelaySeconds) ?? 0,
    ...(lifecycle !== undefined && { lifecycle }),
  };
}

function readLifecycle(spec: Fields): LifecycleBlock | undefined {
  const lifecycle = spec.map('lifecycle', lifecycleFields);
  if (lifecycle === undefined) return undefined;
  const fields = lifecycle.map('blockedBy', blockedByFields);
  if (fields === undefined) {
    lifecycle.requires('blockedBy');
    return undefined;
  }
  const apiVersion = readObjectVersion(fields);
  const kind = readName(fields, 'kind', pathSegmentFault);
  const name = readName(fields, 'name', pathSegmentFault);
  const jsonPath = readJsonPath(fields);
  const notEqual = fields.string('notEqual');
  refuseSecret(fields, { apiVersion, kind });
  if (apiVersion === undefined || kind === undefined || name === undefined || jsonPath === undefined)
    return undefined;
  return { apiVersion, kind, name, jsonPath, ...(notEqual !== undefined && { notEqual }) };
}

/** Of the core group, however its version is written: `/v1` leads there, too. */
function refuseSecret(
  fields: Fields,
  { apiVersion, kind }: { readonly apiVersion: string | undefined; readonly kind: string | undefined },
): void {
  if (kind !== 'Secret' || apiVersion === undefined || apiGroupOf(apiVersion) !== '') return;
  fields.report('kind', {
    code: 'Forbidden',
    message: 'a Secret is never read: name another kind of object',
  });
}

function readJsonPath(fields: Fields): string | undefined {
  const text = fields.requiredString('jsonPath');
  const path = text === undefined ? undefined : parseJsonPath(text);
  if (path === undefined || path.ok) return text;
  fields.report('jsonPath', { code: 'InvalidValue', message: `jsonPath is no path: ${path.error}` });
  return undefined;
}

/** Downscale window of an AutoscalingPolicy that is rendered and has no behaviour: written out rather than left to a flag of the API server. */
const renderedDownWindow = { stabilizationWindowSeconds: 300 } as const;

function effectiveBehavior(
  written: WrittenBehavior | undefined,
  family: PolicyFamily,
  actuation: Actuation,
): BehaviorRules {
  if (family === 'watermark') return watermarkBehavior(written);
  const isSet = written?.hasHpaField ?? false;
  if (isSet || actuation === 'Scale') return hpaBehavior(written, isSet);
  const none = { scaleUp: {}, hasHpaField: false, ownFields: [], ...written };
  return hpaBehavior({ ...none, scaleDown: { ...written?.scaleDown, ...renderedDownWindow } }, true);
}
