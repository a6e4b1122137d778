import type { JsonObject } from '#kernel';
import type { MetricSpec, WatermarkTarget } from '../model/metric-spec.ts';
import { type Fields, type Item, readMap } from '../reading/fields.ts';
import { readName } from '../reading/named.ts';
import { readQuantity } from '../reading/quantities.ts';
import { readLabelSelector } from '../rules/label-selector.ts';
import { readMarks } from '../rules/marks.ts';
import { warnOfDuplicate } from '../rules/metric-list.ts';
import { pathSegmentFault } from '../rules/names.ts';
import { warnOfUnknownResource } from '../rules/resource-name.ts';
import { warnOfUnits } from '../rules/unlikely-units.ts';
import { maximumMetrics } from '../schema/metrics.ts';
import { fieldsOf } from '../schema/parts.ts';
import { watermarkMetricSchema } from '../schema/watermark-pod-autoscaler.ts';

const types = watermarkMetricSchema.properties.type.enum;
type WatermarkMetricType = (typeof types)[number];

const metricFields = fieldsOf(watermarkMetricSchema);
const sectionOf = { External: 'external', Resource: 'resource' } as const;
const nameOf = { External: 'metricName', Resource: 'name' } as const;
const sectionFields = {
  External: fieldsOf(watermarkMetricSchema.properties.external),
  Resource: fieldsOf(watermarkMetricSchema.properties.resource),
} as const;

/** What a document says once for all its metrics. */
export interface SharedTarget {
  readonly algorithm: 'absolute' | 'average';
  readonly toleranceMilli: number;
  /** The same as the native form writes it. */
  readonly document: JsonObject;
}

/** Reads a WatermarkPodAutoscaler's metrics. */
export function readWatermarkMetrics(spec: Fields, shared: SharedTarget): readonly MetricSpec[] {
  const items = spec.list('metrics', maximumMetrics) ?? [];
  const places = new Map<string, string | number>();
  return items.flatMap((item) => {
    const metric = readMetric(item, shared);
    if (metric === undefined) return [];
    if (items.length > 1) warnOfDuplicate(item, metric, places);
    return [metric];
  });
}

function readMetric(item: Item, shared: SharedTarget): MetricSpec | undefined {
  const fields = readMap(item, metricFields);
  if (fields === undefined) return undefined;
  const type = readType(fields);
  if (type === 'Resource' && shared.algorithm === 'absolute') warnTotal(fields);
  let metric: MetricSpec | undefined;
  for (const each of types) {
    const field = sectionOf[each];
    if (each !== type) checkUnread(fields.map(field, sectionFields[each]), each);
    else if (fields.requires(field, `type is ${type}`))
      metric = readSection(fields.map(field, sectionFields[each]), each, shared);
  }
  return metric;
}

function readType(fields: Fields): WatermarkMetricType | undefined {
  return fields.requires('type', 'External or Resource') ? fields.word('type', types) : undefined;
}

function warnTotal(fields: Fields): void {
  fields.report('type', {
    severity: 'warning',
    code: 'TotalOverAllPods',
    message: 'under algorithm absolute the usage of all pods together is compared with the marks',
    hint: 'set algorithm: average to compare the usage of one pod',
  });
}

function readSection(
  fields: Fields | undefined,
  type: WatermarkMetricType,
  shared: SharedTarget,
): MetricSpec | undefined {
  if (fields === undefined) return undefined;
  const name = readName(fields, nameOf[type], pathSegmentFault);
  if (type === 'Resource') {
    warnOfUnknownResource(fields, name);
    warnOfUnits(fields, { resource: name, compares: shared.algorithm === 'absolute' ? 'total' : 'pod' });
  }
  fields.requires('metricSelector', 'it may be {}');
  const selector = readLabelSelector(fields, 'metricSelector', 'Absent');
  const marks = readMarks(fields, 'Whole');
  if (name === undefined || marks === undefined || selector === undefined) return undefined;
  const { algorithm, toleranceMilli, document } = shared;
  const target: WatermarkTarget = { type: 'Watermark', ...marks.milli, algorithm, toleranceMilli };
  const targetDocument = { type: 'Watermark', ...marks.document, ...document };
  if (type === 'Resource') return { type, resource: name, target, targetDocument };
  return { type, metric: { name, selector }, target, targetDocument };
}

/** A section that the type does not name has no effect, but must fit its schema and have its name. */
function checkUnread(fields: Fields | undefined, type: WatermarkMetricType): void {
  if (fields === undefined) return;
  const name = nameOf[type];
  fields.string(name);
  fields.requires(name);
  readQuantity(fields, 'highWatermark', 'Whole');
  readQuantity(fields, 'lowWatermark', 'Whole');
  readLabelSelector(fields.schemaOnly(), 'metricSelector', 'Absent');
}
