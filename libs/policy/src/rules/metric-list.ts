import { canonicalJson, type Json } from '#kernel';
import type { MetricSpec } from '../model/metric-spec.ts';
import { type Fields, type Item, readMap } from '../reading/fields.ts';
import { type Finding, structureOnly } from '../reading/place.ts';
import { metricSchemas, type sourceSchemas } from '../schema/metrics.ts';
import { fieldsOf } from '../schema/parts.ts';
import { type MetricDialect, type MetricSourceType, readTypeWord } from './metric-target.ts';

/** The field that holds each type's source, in the order in which they are checked. */
const sources = [
  ['Object', 'object'],
  ['External', 'external'],
  ['Pods', 'pods'],
  ['Resource', 'resource'],
  ['ContainerResource', 'containerResource'],
  ['Prometheus', 'prometheus'],
] as const satisfies readonly (readonly [MetricSourceType, keyof typeof sourceSchemas.native])[];

const hpaSources = sources.filter((source) => source[0] !== 'Prometheus');
const sourcesOf = { 'autoscaling/v2': hpaSources, native: sources } as const;
const metricFields = {
  'autoscaling/v2': fieldsOf(metricSchemas['autoscaling/v2'], [
    'type',
    ...hpaSources.map(([, field]) => field),
  ]),
  native: fieldsOf(metricSchemas.native, ['type', ...sources.map(([, field]) => field)]),
} as const;
const typesOf = {
  'autoscaling/v2': hpaSources.map(([type]) => type),
  native: sources.map(([type]) => type),
} as const;

/** Reads the section of one metric that holds its source. */
export type SourceReader = (item: Item, type: MetricSourceType) => MetricSpec | undefined;

/** Metrics as read; `types` also names the type of those that did not pass. */
export interface ReadMetrics {
  readonly metrics: readonly MetricSpec[];
  readonly types: readonly (MetricSourceType | undefined)[];
}

/** Reads a list of metrics: each has a type, its own source, and no other. */
export function readMetricItems(
  items: readonly Item[],
  dialect: MetricDialect,
  readSource: SourceReader,
): ReadMetrics {
  const types: (MetricSourceType | undefined)[] = [];
  const metrics: MetricSpec[] = [];
  const places = new Map<string, string | number>();
  for (const item of items) {
    const fields = readMap(item, metricFields[dialect]);
    const type = fields === undefined ? undefined : readType(fields, dialect);
    const metric = fields === undefined ? undefined : readMetric(fields, type, { dialect, readSource });
    types.push(type);
    if (metric === undefined) continue;
    if (items.length > 1) warnOfDuplicate(item, metric, places);
    metrics.push(metric);
  }
  return { metrics, types };
}

/**
 * Warns of a metric that is in the list already. Most policies have one metric, and need not ask.
 *
 * @param places of the metrics before it, by what they measure; this one is added
 */
export function warnOfDuplicate(item: Item, metric: MetricSpec, places: Map<string, string | number>): void {
  const identity = identityOf(metric);
  const first = places.get(identity);
  if (first === undefined) places.set(identity, item.place.key);
  else item.place.report(sameMetric(first));
}

/** What a metric measures, and the type of its target: two of them may differ only in how much of it is wanted. */
function identityOf({ target, ...metric }: MetricSpec): string {
  return canonicalJson(JSON.parse(JSON.stringify({ ...metric, targetDocument: target.type })) as Json);
}

function sameMetric(first: string | number): Finding {
  return {
    severity: 'warning',
    code: 'DuplicateMetric',
    message: `this is the metric of metrics[${first}] once more`,
    hint: 'leave one of the two out: they read the same values, and are compared with one kind of target',
  };
}

/** Whether a policy with these metrics may have a minimum of 0: one of them does not vanish with the last pod. */
export function allowsZero(read: ReadMetrics | undefined): boolean {
  return read?.types.some((type) => type === 'Object' || type === 'External') ?? false;
}

function readType(fields: Fields, dialect: MetricDialect): MetricSourceType | undefined {
  const types: readonly MetricSourceType[] = typesOf[dialect];
  return readTypeWord(fields, types);
}

function readMetric(
  fields: Fields,
  type: MetricSourceType | undefined,
  { dialect, readSource }: { dialect: MetricDialect; readSource: SourceReader },
): MetricSpec | undefined {
  let metric: MetricSpec | undefined;
  for (const [source, field] of sourcesOf[dialect]) {
    const item = fields.item(field);
    const isOwn = source === type;
    if (item === undefined) {
      if (isOwn) fields.requires(field, `type is ${source}`);
      continue;
    }
    if (type !== undefined && !isOwn) refuseSource(fields, field, type);
    const read = readSource(isOwn || type === undefined ? item : quiet(item), source);
    if (isOwn) metric = read;
  }
  return metric;
}

function refuseSource(fields: Fields, field: string, type: MetricSourceType): void {
  const message = `${field} must be left out: the metric's type is ${type}`;
  fields.report(field, { code: 'Forbidden', message });
}

/** A section that must not be there: only its shape is looked at. */
function quiet(item: Item): Item {
  return { value: item.value, place: item.place.reportingTo(structureOnly(item.place.sink)) };
}
