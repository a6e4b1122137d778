import type { EffectivePolicy } from '../model/effective-policy.ts';
import type { MetricSpec } from '../model/metric-spec.ts';
import { Fields, fieldSet, type Item } from '../reading/fields.ts';
import { isMap } from '../reading/is-map.ts';
import { type NameShape, readJsonText } from '../reading/json-text.ts';
import { pathText, Place } from '../reading/place.ts';
import { behaviorShape, hpaBehavior, readDirections, type WrittenBehavior } from '../rules/behavior.ts';
import { checkZeroMinimum, readBounds, zeroNeedsMetric } from '../rules/bounds.ts';
import { allowsZero, type ReadMetrics } from '../rules/metric-list.ts';
import { defaultMetric } from '../rules/metrics.ts';
import { readScaleTargetRef } from '../rules/object-reference.ts';
import { olderMetricsShape, readOlderMetrics } from '../rules/older-metrics.ts';
import { behaviorSchemas } from '../schema/behavior.ts';
import { maximumMetrics, targetSchemas } from '../schema/metrics.ts';
import { fieldsOf } from '../schema/parts.ts';
import {
  effectiveHpa,
  hpaDocumentFields,
  readHorizontalPodAutoscaler,
  readHpaMetadata,
  readSpec,
} from './horizontal-pod-autoscaler.ts';
import type { ReadContext } from './read-context.ts';

const metricsAnnotation = 'autoscaling.alpha.kubernetes.io/metrics';
const behaviorAnnotation = 'autoscaling.alpha.kubernetes.io/behavior';

const v1SpecFields = fieldSet(
  'scaleTargetRef',
  'minReplicas',
  'maxReplicas',
  'targetCPUUtilizationPercentage',
);
const v2beta1SpecFields = fieldSet('scaleTargetRef', 'minReplicas', 'maxReplicas', 'metrics');
const behaviorFields = fieldsOf(behaviorSchemas['autoscaling/v2']);

/** Reads a HorizontalPodAutoscaler of `autoscaling/v1`, `v2beta1` or `v2beta2` as v2, and says so. */
export function readOlderAutoscaler(document: Fields, context: ReadContext): EffectivePolicy | undefined {
  const version = String(document.raw('apiVersion'));
  const message = `${version} is read as autoscaling/v2`;
  const hint = 'plimsoll convert writes the newer form';
  document.report('apiVersion', { severity: 'warning', code: 'DeprecatedVersion', message, hint });
  if (version === 'autoscaling/v1') return readV1(document, context);
  if (version === 'autoscaling/v2beta1') return readV2beta1(document, context);
  return readHorizontalPodAutoscaler(document, context);
}

function readV2beta1(document: Fields, context: ReadContext): EffectivePolicy | undefined {
  document.refuseUnknown(hpaDocumentFields);
  const metadata = readHpaMetadata(document, context);
  const spec = readSpec(document, v2beta1SpecFields);
  if (spec === undefined) return undefined;
  const bounds = readBounds(spec);
  const target = readScaleTargetRef(spec);
  const items = spec.list('metrics', maximumMetrics) ?? [];
  const read = items.length === 0 ? undefined : readOlderMetrics(items);
  checkZeroMinimum(spec, bounds.minReplicas, read);
  return effectiveHpa({
    metadata,
    target,
    bounds,
    metrics: read?.metrics ?? [defaultMetric],
    behavior: hpaBehavior(undefined, false),
  });
}

function readV1(document: Fields, context: ReadContext): EffectivePolicy | undefined {
  document.refuseUnknown(hpaDocumentFields);
  const metadata = readHpaMetadata(document, context);
  const annotations = new AnnotationReader(document, metadata.annotations);
  const read = annotations.readMetrics();
  const behavior = annotations.readBehavior();
  const spec = readSpec(document, v1SpecFields);
  if (spec === undefined) return undefined;
  const bounds = readBounds(spec);
  const target = readScaleTargetRef(spec);
  const cpu = readCpu(spec);
  if (bounds.minReplicas === 0 && !allowsZero(read) && annotations.hasReadableMetrics)
    annotations.reportMetrics(spec);
  const metrics = [...(read?.metrics ?? []), ...(cpu === undefined ? [] : [cpu])];
  return effectiveHpa({
    metadata,
    target,
    bounds,
    metrics: metrics.length === 0 ? [defaultMetric] : metrics,
    behavior: hpaBehavior(behavior, behavior !== undefined),
  });
}

function readCpu(spec: Fields): MetricSpec | undefined {
  const averageUtilization = spec.int32(
    'targetCPUUtilizationPercentage',
    targetSchemas['autoscaling/v2'].properties.averageUtilization,
  );
  if (averageUtilization === undefined) return undefined;
  const target = { type: 'Utilization', averageUtilization } as const;
  return { type: 'Resource', resource: 'cpu', target, targetDocument: target };
}

/** Reads what autoscaling/v1 keeps in annotations. Problems stand at the annotation and name the field inside. */
class AnnotationReader {
  readonly #place: Place;
  readonly #annotations: Readonly<Record<string, string>>;
  readonly #unreadable = new Set<string>();

  constructor(document: Fields, annotations: Readonly<Record<string, string>>) {
    this.#place = document.place.child('metadata').child('annotations');
    this.#annotations = annotations;
    if (isHidden(document)) this.#unreadable.add(metricsAnnotation);
  }

  /** Whether nothing hides metrics that may be there. */
  get hasReadableMetrics(): boolean {
    return !this.#unreadable.has(metricsAnnotation);
  }

  /** Metrics before the CPU target; `undefined` where there is no annotation, or none in it. */
  readMetrics(): ReadMetrics | undefined {
    const fields = this.#read(metricsAnnotation, olderMetricsShape);
    const items: readonly Item[] = fields?.list('value', maximumMetrics) ?? [];
    return items.length === 0 ? undefined : readOlderMetrics(items);
  }

  /** A behaviour that sets a direction; it is not defaulted, so a direction that is written needs policies. */
  readBehavior(): WrittenBehavior | undefined {
    const behavior = this.#read(behaviorAnnotation, behaviorShape)?.map('value', behaviorFields);
    if (behavior === undefined) return undefined;
    const directions = (['scaleUp', 'scaleDown'] as const).filter((name) => behavior.has(name));
    if (directions.length === 0) return undefined;
    for (const name of directions) requirePolicies(behavior, name);
    return readDirections(behavior, 'autoscaling/v2');
  }

  /** A minimum of 0 needs a metric that the annotation may hold. */
  reportMetrics(spec: Fields): void {
    if (this.#annotations[metricsAnnotation] === undefined) spec.report('metrics', zeroNeedsMetric);
    else this.#place.child(metricsAnnotation).report(zeroNeedsMetric);
  }

  /** The annotation's value as the field `value` of a map of its own. */
  #read(name: string, shape: NameShape): Fields | undefined {
    const text = this.#annotations[name];
    if (text === undefined) return undefined;
    const place = this.#place.child(name);
    const read = readJsonText(text, shape);
    if (read.ok) return insideAnnotation(place, read.value);
    this.#unreadable.add(name);
    place.report({
      code: 'InvalidValue',
      message: `the annotation ${name} is not readable: ${read.error}`,
      hint: 'a server drops it in silence and scales on CPU 80 % instead; write autoscaling/v2',
    });
    return undefined;
  }
}

/** Whether the annotation is no text, or something around it is no map. */
function isHidden(document: Fields): boolean {
  const metadata = document.raw('metadata') ?? {};
  if (!isMap(metadata)) return true;
  const annotations = metadata['annotations'] ?? {};
  return !isMap(annotations) || typeof (annotations[metricsAnnotation] ?? '') !== 'string';
}

function requirePolicies(behavior: Fields, direction: string): void {
  const rules = behavior.raw(direction);
  if (!isMap(rules) || (rules['policies'] ?? undefined) !== undefined) return;
  const message = 'policies is required where a direction is written in the annotation';
  behavior.place.child(direction).child('policies').report({ code: 'Required', message });
}

/** The annotation's value as the field `value` of a map of its own, whose problems stand at the annotation. */
function insideAnnotation(place: Place, value: unknown): Fields {
  const path = place.path();
  const inside = new Place({
    add: (problem) => {
      const message = `${pathText(problem.path.slice(1))}: ${problem.message}`;
      place.sink.add({ ...problem, path, message });
    },
    get isLong() {
      return place.sink.isLong;
    },
  });
  return new Fields({ value }, inside);
}
