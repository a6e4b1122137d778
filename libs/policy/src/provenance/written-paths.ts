import type { JsonObject } from '#kernel';
import type { EffectivePolicy } from '../model/effective-policy.ts';
import type { ValuePath } from './leaf-values.ts';

/** Where a document of another kind writes a field of the native form's `spec`. */
type Rewrite = (path: ValuePath, policy: EffectivePolicy) => ValuePath[];

/**
 * The places of a document that may say a value of the native form, the likeliest first. A place may be that of a map or
 * an annotation that says several values.
 */
export function writtenPaths(
  path: ValuePath,
  policy: EffectivePolicy,
  document: JsonObject,
): readonly ValuePath[] {
  const others = rewriteOf(policy, document)?.(path.slice(1), policy) ?? [];
  return [path, ...others, ...otherMark(path)];
}

function rewriteOf({ kind }: EffectivePolicy, { apiVersion }: JsonObject): Rewrite | undefined {
  if (kind === 'WatermarkPodAutoscaler') return ofWatermark;
  return typeof apiVersion === 'string' ? rewrites[apiVersion] : undefined;
}

/** Where one mark is written it is both. */
function otherMark(path: ValuePath): readonly ValuePath[] {
  const other = otherMarks[String(path.at(-1))];
  return other === undefined ? [] : [[...path.slice(0, -1), other]];
}

const otherMarks: Readonly<Record<string, string>> = {
  lowWatermark: 'highWatermark',
  highWatermark: 'lowWatermark',
};

const annotation = (name: string): ValuePath => ['metadata', 'annotations', name];

/** `autoscaling/v1` has one metric, and the rest in annotations. */
const ofVersion1: Rewrite = ([field, index], { metrics }) => {
  if (field === 'behavior') return [annotation('autoscaling.alpha.kubernetes.io/behavior')];
  if (field !== 'metrics') return [];
  const inAnnotation = annotation('autoscaling.alpha.kubernetes.io/metrics');
  const isLast = index === metrics.length - 1;
  return isLast ? [['spec', 'targetCPUUtilizationPercentage'], inAnnotation] : [inAnnotation];
};

/** `autoscaling/v2beta1` writes a metric's target beside its name. */
const ofVersion2Beta1: Rewrite = ([field, index, section]) =>
  field === 'metrics' && index !== undefined && section !== undefined
    ? [
        ['spec', 'metrics', index, section],
        ['spec', 'metrics', index],
      ]
    : [];

const rewrites: Readonly<Record<string, Rewrite>> = {
  'autoscaling/v1': ofVersion1,
  'autoscaling/v2beta1': ofVersion2Beta1,
};

/** Fields that a WatermarkPodAutoscaler names otherwise, by their places in the native form. */
const watermarkNames: Readonly<Record<string, ValuePath>> = {
  replicaStep: ['spec', 'replicaScalingAbsoluteModulo'],
  convergeTowards: ['spec', 'convergeTowardsWatermark'],
  minAvailablePercent: ['spec', 'minAvailableReplicaPercentage'],
  selectionStrategy: annotation('wpa.datadoghq.com/skip-owner-check'),
  'behavior.scaleUp.limitPercent': ['spec', 'scaleUpLimitFactor'],
  'behavior.scaleUp.forbiddenWindowSeconds': ['spec', 'upscaleForbiddenWindowSeconds'],
  'behavior.scaleUp.delaySeconds': ['spec', 'upscaleDelayAboveWatermarkSeconds'],
  'behavior.scaleDown.limitPercent': ['spec', 'scaleDownLimitFactor'],
  'behavior.scaleDown.forbiddenWindowSeconds': ['spec', 'downscaleForbiddenWindowSeconds'],
  'behavior.scaleDown.delaySeconds': ['spec', 'downscaleDelayBelowWatermarkSeconds'],
};

const ofWatermark: Rewrite = (path) => {
  const renamed = watermarkNames[path.join('.')];
  if (renamed !== undefined) return [renamed];
  if (path[0] === 'lifecycle') return [annotation('wpa.datadoghq.com/lifecycle-control.enabled')];
  return path[0] === 'metrics' ? watermarkMetric(path) : [];
};

/** A metric's marks and selector stand beside its name. */
function watermarkMetric([, index, section, part, field, ...deeper]: ValuePath): ValuePath[] {
  if (index === undefined || section === undefined || field === undefined) return [];
  const metric = ['spec', 'metrics', index, section];
  if (part === 'target') return watermarkTarget(metric, field);
  return [field === 'name' ? [...metric, 'metricName'] : [...metric, 'metricSelector', ...deeper]];
}

/** The algorithm and the tolerance are the document's, and that the target is one of watermarks is what its kind says. */
function watermarkTarget(metric: ValuePath, field: string | number): ValuePath[] {
  if (field === 'type') return [['kind']];
  if (field === 'algorithm' || field === 'tolerance') return [['spec', field]];
  const mark = [...metric, field];
  return [mark, ...otherMark(mark)];
}
