import type { MetricIdentifier, MetricSpec, ResourceTarget } from '../model/metric-spec.ts';
import { fieldHints, type Fields, type Item, readMap } from '../reading/fields.ts';
import { readName, readOptionalName } from '../reading/named.ts';
import { defaultCpuUtilization, identifierSchema, maximumMetrics, sourceSchemas } from '../schema/metrics.ts';
import { fieldsOf } from '../schema/parts.ts';
import { readLabelSelector } from './label-selector.ts';
import { readMetricItems, type ReadMetrics } from './metric-list.ts';
import { type MetricDialect, type MetricSourceType, type ReadTarget, readTarget } from './metric-target.ts';
import { dnsLabelFault, pathSegmentFault } from './names.ts';
import { readDescribedObject } from './object-reference.ts';
import { containerResourceFault, warnOfUnknownResource } from './resource-name.ts';
import { warnOfUnits } from './unlikely-units.ts';

const identifierFields = fieldsOf(identifierSchema);
const { native } = sourceSchemas;
const sourceFields: Readonly<Record<MetricSourceType, ReadonlySet<string>>> = {
  Resource: fieldsOf(native.resource),
  ContainerResource: fieldsOf(native.containerResource),
  Pods: fieldsOf(native.pods),
  Object: fieldsOf(native.object),
  External: fieldsOf(native.external),
  Prometheus: fieldsOf(native.prometheus),
};

/** Fields of the sources of autoscaling/v2beta1. */
const olderFields = fieldHints(
  "this is autoscaling/v2beta1's form: write a target, or apiVersion: autoscaling/v2beta1 (`plimsoll convert` makes v2 of it)",
  ['targetAverageUtilization', 'targetAverageValue', 'targetValue', 'metricName', 'metricSelector'],
);

const queryMaximum = native.prometheus.properties.query.maxLength;

/** The metric of a policy that names none: CPU utilisation 80 %. */
export const defaultMetric: MetricSpec = {
  type: 'Resource',
  resource: 'cpu',
  target: { type: 'Utilization', averageUtilization: defaultCpuUtilization },
  targetDocument: { type: 'Utilization', averageUtilization: defaultCpuUtilization },
};

/** Reads `spec.metrics`; `undefined` where it is absent, empty or no list. */
export function readMetrics(spec: Fields, dialect: MetricDialect): ReadMetrics | undefined {
  const items = spec.list('metrics', maximumMetrics);
  if (items === undefined || items.length === 0) return undefined;
  return readMetricItems(items, dialect, (item, type) => readSource(item, type, dialect));
}

function readSource(item: Item, type: MetricSourceType, dialect: MetricDialect): MetricSpec | undefined {
  const fields = readMap(item, sourceFields[type], olderFields);
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
  warnOfUnknownResource(fields, resource);
  warnOfUnits(fields, { resource, compares: comparesOf(target) });
  return resource === undefined || target === undefined
    ? undefined
    : { type: 'Resource', resource, ...target };
}

function readContainerResource(fields: Fields, target: ReadTarget | undefined): MetricSpec | undefined {
  const resource = readName(fields, 'name', containerResourceFault);
  const container = readName(fields, 'container', dnsLabelFault);
  warnOfUnits(fields, { resource, compares: comparesOf(target) });
  if (resource === undefined || container === undefined || target === undefined) return undefined;
  return { type: 'ContainerResource', resource, container, ...target };
}

function comparesOf(read: ReadTarget | undefined): 'pod' | 'total' {
  return read?.target.type === 'Watermark' && read.target.algorithm === 'absolute' ? 'total' : 'pod';
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
  const name = readOptionalName(fields, 'name', () => undefined);
  const length = query === undefined ? 0 : Array.from(query).length;
  if (length > queryMaximum) {
    const message = `query must have at most ${queryMaximum} characters, has ${length}`;
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
