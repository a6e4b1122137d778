import type { JsonObject } from '#kernel';
import type { LabelSelector, MetricSpec, ResourceTarget } from '../model/metric-spec.ts';
import { type Fields, fieldSet, type Item, readMap } from '../reading/fields.ts';
import type { NameShape } from '../reading/json-text.ts';
import { readName } from '../reading/named.ts';
import { quantityOf } from '../reading/quantities.ts';
import { targetSchemas } from '../schema/metrics.ts';
import { readLabelSelector } from './label-selector.ts';
import { readMetricItems, type ReadMetrics } from './metric-list.ts';
import { checkExactlyOne, readPositive } from './metric-target.ts';
import { dnsLabelFault, pathSegmentFault } from './names.ts';
import { readDescribedObject } from './object-reference.ts';
import { containerResourceFault, warnOfUnknownResource } from './resource-name.ts';
import { warnOfUnits } from './unlikely-units.ts';

type OlderType = 'Resource' | 'ContainerResource' | 'Pods' | 'Object' | 'External';

const utilization = 'targetAverageUtilization';
const averageValue = 'targetAverageValue';
const sourceFields: Readonly<Record<OlderType, ReadonlySet<string>>> = {
  Resource: fieldSet('name', utilization, averageValue),
  ContainerResource: fieldSet('name', 'container', utilization, averageValue),
  Pods: fieldSet('metricName', 'selector', averageValue),
  Object: fieldSet('target', 'metricName', 'selector', 'targetValue', 'averageValue'),
  External: fieldSet('metricName', 'metricSelector', 'targetValue', averageValue),
};

const selectorShape: NameShape = {
  map: {
    matchLabels: 'texts',
    matchExpressions: { list: { map: { key: 'any', operator: 'any', values: 'any' } } },
  },
};

/** The names inside the `metrics` annotation of autoscaling/v1. */
export const olderMetricsShape: NameShape = {
  list: {
    map: {
      type: 'any',
      resource: { map: { name: 'any', [utilization]: 'any', [averageValue]: 'any' } },
      containerResource: {
        map: { name: 'any', container: 'any', [utilization]: 'any', [averageValue]: 'any' },
      },
      pods: { map: { metricName: 'any', selector: selectorShape, [averageValue]: 'any' } },
      object: {
        map: {
          target: { map: { kind: 'any', name: 'any', apiVersion: 'any' } },
          metricName: 'any',
          selector: selectorShape,
          targetValue: 'any',
          averageValue: 'any',
        },
      },
      external: {
        map: { metricName: 'any', metricSelector: selectorShape, targetValue: 'any', [averageValue]: 'any' },
      },
    },
  },
};

/** Reads metrics as autoscaling/v1's annotation and v2beta1 write them, into those of autoscaling/v2. */
export function readOlderMetrics(items: readonly Item[]): ReadMetrics {
  return readMetricItems(items, 'autoscaling/v2', (item, type) =>
    type === 'Prometheus' ? undefined : readSource(item, type),
  );
}

function readSource(item: Item, type: OlderType): MetricSpec | undefined {
  const fields = readMap(item, sourceFields[type]);
  if (fields === undefined) return undefined;
  switch (type) {
    case 'Resource':
      return readResource(fields);
    case 'ContainerResource':
      return readContainerResource(fields);
    case 'Pods':
      return readPods(fields);
    case 'Object':
      return readObject(fields);
    case 'External':
      return readExternal(fields);
  }
}

interface OlderTarget {
  readonly target: ResourceTarget;
  readonly targetDocument: JsonObject;
}

function readResource(fields: Fields): MetricSpec | undefined {
  const resource = readName(fields, 'name', () => undefined);
  warnOfUnknownResource(fields, resource);
  warnOfUnits(fields, { resource, compares: 'pod' });
  const target = readUsageTarget(fields);
  return resource === undefined ? undefined : { type: 'Resource', resource, ...target };
}

function readContainerResource(fields: Fields): MetricSpec | undefined {
  const resource = readName(fields, 'name', containerResourceFault);
  const container = readName(fields, 'container', dnsLabelFault);
  warnOfUnits(fields, { resource, compares: 'pod' });
  const target = readUsageTarget(fields);
  if (resource === undefined || container === undefined) return undefined;
  return { type: 'ContainerResource', resource, container, ...target };
}

function readPods(fields: Fields): MetricSpec | undefined {
  const name = readName(fields, 'metricName', pathSegmentFault);
  const selector = readLabelSelector(fields, 'selector');
  fields.requires(averageValue);
  const target = valueTarget(fields, 'AverageValue', { averageValue });
  return name === undefined ? undefined : { type: 'Pods', metric: identifier(name, selector), ...target };
}

function readObject(fields: Fields): MetricSpec | undefined {
  const describedObject = readDescribedObject(fields, 'target');
  const name = readName(fields, 'metricName', pathSegmentFault);
  const selector = readLabelSelector(fields, 'selector');
  const target = readObjectTarget(fields);
  if (describedObject === undefined || name === undefined) return undefined;
  return { type: 'Object', describedObject, metric: identifier(name, selector), ...target };
}

/** With averageValue that is the target, and a targetValue of 0 counts as absent. */
function readObjectTarget(fields: Fields): OlderTarget {
  if (!fields.has('averageValue')) {
    fields.requires('targetValue');
    return valueTarget(fields, 'Value', { value: 'targetValue' });
  }
  const isZero = quantityOf(fields.raw('targetValue'))?.milli === 0n;
  const names = isZero
    ? { averageValue: 'averageValue' }
    : { averageValue: 'averageValue', value: 'targetValue' };
  return valueTarget(fields, 'AverageValue', names);
}

function readExternal(fields: Fields): MetricSpec | undefined {
  const name = readName(fields, 'metricName', pathSegmentFault);
  const selector = readLabelSelector(fields, 'metricSelector');
  checkExactlyOne(fields, 'targetValue', averageValue);
  const type = fields.has('targetValue') ? 'Value' : 'AverageValue';
  const target = valueTarget(fields, type, { value: 'targetValue', averageValue });
  return name === undefined ? undefined : { type: 'External', metric: identifier(name, selector), ...target };
}

function readUsageTarget(fields: Fields): OlderTarget {
  checkExactlyOne(fields, utilization, averageValue);
  const type = fields.has(utilization) ? 'Utilization' : 'AverageValue';
  const { target, targetDocument } = valueTarget(fields, type, { averageValue });
  const averageUtilization = fields.int32(
    utilization,
    targetSchemas['autoscaling/v2'].properties.averageUtilization,
  );
  if (averageUtilization === undefined) return { target, targetDocument };
  return {
    target: { ...target, averageUtilization },
    targetDocument: { ...targetDocument, averageUtilization },
  };
}

function valueTarget(
  fields: Fields,
  type: ResourceTarget['type'],
  names: { readonly value?: string; readonly averageValue?: string },
): OlderTarget {
  const value = names.value === undefined ? undefined : readPositive(fields, names.value);
  const average = names.averageValue === undefined ? undefined : readPositive(fields, names.averageValue);
  return {
    target: {
      type,
      ...(average !== undefined && { averageValueMilli: average.milli }),
      ...(value !== undefined && { valueMilli: value.milli }),
    },
    targetDocument: {
      type,
      ...(value !== undefined && { value: value.text }),
      ...(average !== undefined && { averageValue: average.text }),
    },
  };
}

function identifier(
  name: string,
  selector: LabelSelector | undefined,
): { name: string; selector?: LabelSelector } {
  return selector === undefined ? { name } : { name, selector };
}
