import type { Json, JsonObject } from '#kernel';
import type { MetricTarget, ResourceTarget, WatermarkTarget } from '../model/metric-spec.ts';
import type { Fields } from '../reading/fields.ts';
import { type PolicyQuantity, readQuantity } from '../reading/quantities.ts';
import { showValue } from '../reading/show-value.ts';
import { type metricSchemas, targetSchemas } from '../schema/metrics.ts';
import { type Dialect, fieldsOf } from '../schema/parts.ts';
import { type Marks, readMarks, readWatermarkTolerance, toleranceDefaultMilli } from './marks.ts';
import { readTolerance } from './tolerance.ts';

/** Where a target stands. */
export type MetricSourceType = (typeof metricSchemas.native.properties.type.enum)[number];

/** Which targets there may be: autoscaling/v2's, or ours beside them. */
export type MetricDialect = Dialect;

/** What decides how a target is read. */
export interface TargetContext {
  readonly source: MetricSourceType;
  readonly dialect: MetricDialect;
}

/** A target, and how the native form writes it. */
export interface ReadTarget {
  readonly target: MetricTarget;
  readonly targetDocument: JsonObject;
}

type TargetField = keyof typeof targetSchemas.native.properties;

/** In the order of autoscaling/v2. */
const hpaTargetNames = [
  'type',
  'value',
  'averageValue',
  'averageUtilization',
] as const satisfies readonly TargetField[];
const markNames = ['lowWatermark', 'highWatermark', 'algorithm'] as const satisfies readonly TargetField[];
const targetFields = {
  'autoscaling/v2': fieldsOf(targetSchemas['autoscaling/v2'], hpaTargetNames),
  native: fieldsOf(targetSchemas.native, [...hpaTargetNames, ...markNames, 'tolerance']),
} as const;

/** Reads the `target` of a metric source. */
export function readTarget(source: Fields, context: TargetContext): ReadTarget | undefined {
  const fields = source.map('target', targetFields[context.dialect]);
  if (fields === undefined) {
    source.requires('target');
    return undefined;
  }
  const known = targetSchemas[context.dialect].properties;
  const type = readTypeWord<MetricTarget['type']>(fields, known.type.enum);
  if (type === 'Watermark') return readWatermark(fields, context);
  return readHpaTarget(fields, type, context);
}

/** Reads a required `type`; the empty text counts as missing. */
export function readTypeWord<const T extends string>(fields: Fields, types: readonly T[]): T | undefined {
  if (fields.has('type') && fields.raw('type') !== '') return fields.word('type', types);
  fields.missing('type', `one of ${types.join(', ')}`);
  return undefined;
}

interface TargetValues {
  readonly value: PolicyQuantity | undefined;
  readonly averageValue: PolicyQuantity | undefined;
  readonly averageUtilization: number | undefined;
}

function readHpaTarget(
  fields: Fields,
  type: ResourceTarget['type'] | undefined,
  context: TargetContext,
): ReadTarget | undefined {
  const values: TargetValues = {
    value: readPositive(fields, 'value'),
    averageValue: readPositive(fields, 'averageValue'),
    averageUtilization: fields.int32(
      'averageUtilization',
      targetSchemas[context.dialect].properties.averageUtilization,
    ),
  };
  const tolerance = context.dialect === 'native' ? readTolerance(fields, 'tolerance') : undefined;
  if (type === undefined && hasMarks(fields, context)) {
    // What is meant is a Watermark, as likely as not: neither the marks nor missing values are wrong beside it.
    readMarkFields(fields, context.source);
    return undefined;
  }
  if (context.dialect === 'native') refuse(fields, markNames, 'needs target.type: Watermark');
  checkValues(fields, context.source);
  if (type === undefined) return undefined;
  warnOfOtherType(fields, type);
  const target: ResourceTarget = {
    type,
    ...(values.averageUtilization !== undefined && { averageUtilization: values.averageUtilization }),
    ...(values.averageValue !== undefined && { averageValueMilli: values.averageValue.milli }),
    ...(values.value !== undefined && { valueMilli: values.value.milli }),
    ...(tolerance !== undefined && { tolerance }),
  };
  return { target, targetDocument: targetDocument(fields) };
}

function hasMarks(fields: Fields, { dialect }: TargetContext): boolean {
  return dialect === 'native' && markNames.some((name) => fields.has(name));
}

/** Reads a quantity above 0. */
export function readPositive(fields: Fields, name: string): PolicyQuantity | undefined {
  const quantity = readQuantity(fields, name);
  if (quantity === undefined || quantity.milli > 0n) return quantity;
  fields.report(name, { code: 'OutOfRange', message: `${name} must be above 0, is ${quantity.text}` });
  return undefined;
}

/** Which of the values a source needs, and which exclude each other; the type is not compared with them. */
function checkValues(fields: Fields, source: MetricSourceType): void {
  switch (source) {
    case 'Resource':
    case 'ContainerResource':
      checkExactlyOne(fields, 'averageUtilization', 'averageValue');
      return;
    case 'External':
    case 'Prometheus':
      checkExactlyOne(fields, 'value', 'averageValue');
      return;
    case 'Pods':
      fields.requires('averageValue');
      return;
    case 'Object':
      if (!fields.has('value') && !fields.has('averageValue')) fields.missing('averageValue', 'or value');
  }
}

const fieldOfType = {
  Utilization: 'averageUtilization',
  Value: 'value',
  AverageValue: 'averageValue',
} as const;

/** Warns of a target that has none of what its type goes with: what it has is an amount, or a percentage, all the same. */
function warnOfOtherType(fields: Fields, type: ResourceTarget['type']): void {
  const wanted = fieldOfType[type];
  const written = Object.entries(fieldOfType).filter(([, field]) => fields.has(field));
  const [first] = written;
  if (first === undefined || fields.has(wanted)) return;
  const [meant, field] = first;
  fields.report('type', {
    severity: 'warning',
    code: 'UnlikelyUnit',
    message: `type ${type} goes with ${wanted}; ${field} ${showValue(fields.raw(field))} is read as ${readings[field]}`,
    hint: `write type: ${meant}, or ${wanted} in place of ${field}`,
  });
}

const readings = {
  averageUtilization: 'a percentage of the request',
  value: 'an amount',
  averageValue: 'an amount per pod',
} as const;

/** Reports where there are both fields, or neither. */
export function checkExactlyOne(fields: Fields, first: string, second: string): void {
  // Where the server says so: of the two values at the one per pod.
  const [wanted, other] = first === 'value' ? [second, first] : [first, second];
  if (!fields.has(first) && !fields.has(second)) fields.missing(wanted, `or ${other}`);
  if (!fields.has(first) || !fields.has(second)) return;
  const at = first === 'value' ? first : second;
  fields.report(at, { code: 'Forbidden', message: `${first} and ${second} exclude each other` });
}

function readWatermark(fields: Fields, context: TargetContext): ReadTarget | undefined {
  const { source } = context;
  if (source === 'Pods') {
    const message = 'a Watermark target may not stand on a Pods metric';
    fields.report('type', {
      code: 'NotSupported',
      message,
      hint: 'use External, Object, Resource, ContainerResource or Prometheus',
    });
    return undefined;
  }
  refuse(fields, ['value', 'averageValue', 'averageUtilization'], 'does not go with target.type: Watermark');
  const toleranceMilli = readWatermarkTolerance(fields, 'Number') ?? toleranceDefaultMilli;
  const { algorithm, marks } = readMarkFields(fields, source);
  if (marks === undefined) return undefined;
  const target: WatermarkTarget = { type: 'Watermark', ...marks.milli, algorithm, toleranceMilli };
  const tolerance = { tolerance: fields.has('tolerance') ? written(fields.raw('tolerance')) : '0.1' };
  return { target, targetDocument: { type: 'Watermark', ...marks.document, algorithm, ...tolerance } };
}

/** What only a Watermark target has. */
function readMarkFields(
  fields: Fields,
  source: MetricSourceType,
): Pick<WatermarkTarget, 'algorithm'> & { readonly marks: Marks | undefined } {
  const isPerPod = source === 'Resource' || source === 'ContainerResource';
  const algorithm =
    fields.word('algorithm', targetSchemas.native.properties.algorithm.enum) ??
    (isPerPod ? 'average' : 'absolute');
  return { algorithm, marks: readMarks(fields, 'Number') };
}

function refuse(fields: Fields, names: readonly string[], why: string): void {
  for (const name of names)
    if (fields.has(name)) fields.report(name, { code: 'Forbidden', message: `${name} ${why}` });
}

/** The target as written, in the order of autoscaling/v2. */
function targetDocument(fields: Fields): JsonObject {
  const document: Record<string, Json> = {};
  for (const name of [...hpaTargetNames, 'tolerance'])
    if (fields.has(name)) document[name] = written(fields.raw(name));
  return document;
}

/** A scalar as JSON can carry it. */
export function written(value: unknown): Json {
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return value;
  return String(value);
}
