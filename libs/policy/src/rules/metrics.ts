import type { MetricIdentifier, MetricSpec, ResourceTarget } from '../model/metric-spec.ts';
import { type Fields, fieldSet, readMap, type Item } from '../reading/fields.ts';
import { readName } from '../reading/named.ts';
import { structureOnly } from '../reading/place.ts';
import { readLabelSelector } from './label-selector.ts';
import {
  readTarget,
  readTypeWord,
  type MetricDialect,
  type MetricSourceType,
  type ReadTarget,
} from './metric-target.ts';
import { dnsLabelFault, pathSegmentFault } from './names.ts';
import { readDescribedObject } from './object-reference.ts';
import { containerResourceFault } from './resource-name.ts';

/** The field that holds each type's source. */
const sources = [
  ['Object', 'object'],
  ['External', 'external'],
  ['Pods', 'pods'],
  ['Resource', 'resource'],
  ['ContainerResource', 'containerResource'],
  ['Prometheus', 'prometheus'],
] as const satisfies readonly (readonly [MetricSourceType, string])[];

const hpaSources = sources.filter(([type]) => type !== 'Prometheus');
const sourcesOf = { 'autoscaling/v2': hpaSources, native: sources } as const;
const metricFields = {
  'autoscaling/v2': fieldSet('type', ...hpaSources.map(([, field]) => field)),
  native: fieldSet('type', ...sources.map(([, field]) => field)),
} as const;
const typesOf = {
  'autoscaling/v2': hpaSources.map(([type]) => type),
  native: sources.map(([type]) => type),
} as const;

const identifierFields = fieldSet('name', 'selector');
const sourceFields: Readonly<Record<MetricSourceType, ReadonlySet<string>>> = {
  Resource: fieldSet('name', 'target'),
  ContainerResource: fieldSet('name', 'container', 'target'),
  Pods: fieldSet('metric', 'target'),
  Object: fieldSet('describedObject', 'metric', 'target'),
  External: fieldSet('metric', 'target'),
  Prometheus: fieldSet('server', 'query', 'name', 'target'),
};

const queryMaximum = 4096;

/** The metric of a policy that names none: CPU utilisation 80 %. */
export const defaultMetric: MetricSpec = {
  type: 'Resource',
  resource: 'cpu',
  target: { type: 'Utilization', averageUtilization: 80 },
  targetDocument: { type: 'Utilization', averageUtilization: 80 },
};

/** Metrics as read; `types` also names the type of those that did not pass. */
export interface ReadMetrics {
  readonly metrics: readonly MetricSpec[];
  readonly types: readonly (MetricSourceType | undefined)[];
}

/** Reads `spec.metrics`; `undefined` where it is absent, empty or no list. */
export function readMetrics(spec: Fields, dialect: MetricDialect): ReadMetrics | undefined {
  const items = spec.list('metrics');
  if (items === undefined || items.length === 0) return undefined;
  const types: (MetricSourceType | undefined)[] = [];
  const metrics: MetricSpec[] = [];
  for (const item of items) {
    const fields = readMap(item, metricFields[dialect]);
    const type = fields === undefined ? undefined : readType(fields, dialect);
    const metric = fields === undefined ? undefined : readMetric(fields, type, dialect);
    types.push(type);
    if (metric !== undefined) metrics.push(metric);
  }
  return { metrics, types };
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
  dialect: MetricDialect,
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
    const read = readSource(isOwn ? item : quiet(item), source, dialect);
    if (isOwn) metric = read;
  }
  return metric;
}

function refuseSource(fields: Fields, field: string, type: MetricSourceType): void {
  const message = `${field} must be left out: the metric's type is ${type}`;
  fields.report(field, { code: 'Forbidden', message });
}

/** A section that must not be there, or whose type is unknown: only its shape is looked at. */
function quiet(item: Item): Item {
  return { value: item.value, place: item.place.reportingTo(structureOnly(item.place.sink)) };
}

function readSource(item: Item, type: MetricSourceType, dialect: MetricDialect): MetricSpec | undefined {
  const fields = readMap(item, sourceFields[type]);
  if (fields === undefined) return undefined;
  const target = readTarget(fields, { source: type, dialect });
  switch (type) {
    case 'Resource':
      return readResource(fields, target);
    case 'ContainerResource':
      return readContainerResource(fields, target);
    case 'Pods':
      return readPods(fields, target);
    case 'Object':
      return readObject(fields, target);
    case 'External':
      return readExternal(fields, target);
    case 'Prometheus':
      return readPrometheus(fields, target);
  }
}

function readResource(fields: Fields, target: ReadTarget | undefined): MetricSpec | undefined {
  const resource = readName(fields, 'name', () => undefined);
  return resource === undefined || target === undefined
    ? undefined
    : { type: 'Resource', resource, ...target };
}

function readContainerResource(fields: Fields, target: ReadTarget | undefined): MetricSpec | undefined {
  const resource = readName(fields, 'name', containerResourceFault);
  const container = readName(fields, 'container', dnsLabelFault);
  if (resource === undefined || container === undefined || target === undefined) return undefined;
  return { type: 'ContainerResource', resource, container, ...target };
}

function readPods(fields: Fields, target: ReadTarget | undefined): MetricSpec | undefined {
  const metric = readIdentifier(fields);
  if (metric === undefined || target === undefined || !isHpaTarget(target)) return undefined;
  return { type: 'Pods', metric, ...target };
}

function readObject(fields: Fields, target: ReadTarget | undefined): MetricSpec | undefined {
  const describedObject = readDescribedObject(fields, 'describedObject');
  const metric = readIdentifier(fields);
  if (describedObject === undefined || metric === undefined || target === undefined) return undefined;
  return { type: 'Object', describedObject, metric, ...target };
}

function readExternal(fields: Fields, target: ReadTarget | undefined): MetricSpec | undefined {
  const metric = readIdentifier(fields);
  return metric === undefined || target === undefined ? undefined : { type: 'External', metric, ...target };
}

function readPrometheus(fields: Fields, target: ReadTarget | undefined): MetricSpec | undefined {
  const server = readName(fields, 'server', dnsLabelFault);
  const query = fields.requiredString('query');
  const name = fields.string('name');
  if (query !== undefined && query.length > queryMaximum) {
    const message = `query must have at most ${queryMaximum} characters, has ${query.length}`;
    fields.report('query', { code: 'TooLarge', message });
  }
  if (server === undefined || query === undefined || target === undefined) return undefined;
  return { type: 'Prometheus', server, query, ...(name !== undefined && { name }), ...target };
}

function readIdentifier(fields: Fields): MetricIdentifier | undefined {
  const identifier = fields.map('metric', identifierFields);
  fields.requires('metric');
  if (identifier === undefined) return undefined;
  const name = readName(identifier, 'name', pathSegmentFault);
  const selector = readLabelSelector(identifier, 'selector');
  return name === undefined ? undefined : { name, ...(selector !== undefined && { selector }) };
}

function isHpaTarget(read: ReadTarget): read is ReadTarget & { readonly target: ResourceTarget } {
  return read.target.type !== 'Watermark';
}
