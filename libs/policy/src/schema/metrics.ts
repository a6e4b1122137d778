import type { JsonObject } from '#kernel';
import { list, map, reference, text, whole, words } from './parts.ts';

/** Which metrics and targets a kind has. */
export type SchemaDialect = 'autoscaling/v2' | 'native';

/** The schema of `spec.metrics`. */
export function metricsSchema(dialect: SchemaDialect): JsonObject {
  const sources =
    dialect === 'native' ? { ...hpaSources(dialect), prometheus: prometheus(dialect) } : hpaSources(dialect);
  const types = ['Resource', 'ContainerResource', 'Pods', 'Object', 'External'];
  const metric = map(
    {
      type: words('Which source follows.', dialect === 'native' ? [...types, 'Prometheus'] : types),
      ...sources,
    },
    { required: ['type'] },
  );
  return {
    ...list('The highest proposal of all metrics wins. Left out: CPU utilisation 80 %.', metric),
    type: ['array', 'null'],
  };
}

function hpaSources(dialect: SchemaDialect): Readonly<Record<string, JsonObject>> {
  const target = targetSchema(dialect);
  const metric = map(
    { name: text('The metric.', { minLength: 1 }), selector: reference('selector') },
    { required: ['name'] },
  );
  return {
    resource: map({ name: text('cpu or memory.'), target }, { required: ['name', 'target'] }),
    containerResource: map(
      {
        name: text('cpu or memory.'),
        container: text('The container looked at; others do not count.'),
        target,
      },
      { required: ['name', 'container', 'target'] },
    ),
    pods: map({ metric, target }, { required: ['metric', 'target'] }),
    object: map(
      { describedObject: reference('objectReference'), metric, target },
      { required: ['describedObject', 'metric', 'target'] },
    ),
    external: map({ metric, target }, { required: ['metric', 'target'] }),
  };
}

function prometheus(dialect: SchemaDialect): JsonObject {
  return map(
    {
      server: text('The name of a server of the configuration, never a URL.'),
      query: text('PromQL; the values of a vector are summed.', { minLength: 1, maxLength: 4096 }),
      name: text('What reports call it; left out, the query.'),
      target: targetSchema(dialect),
    },
    { required: ['server', 'query', 'target'] },
  );
}

function targetSchema(dialect: SchemaDialect): JsonObject {
  const types = ['Utilization', 'Value', 'AverageValue'];
  const fields = {
    averageUtilization: whole('Percent of the request.', { minimum: 1, type: ['integer', 'null'] }),
    averageValue: reference('quantity'),
    value: reference('quantity'),
  };
  if (dialect === 'autoscaling/v2')
    return map({ type: words('How it is compared.', types), ...fields }, { required: ['type'] });
  return map(
    {
      type: words('How it is compared.', [...types, 'Watermark']),
      ...fields,
      tolerance: {
        ...reference('quantity'),
        description: 'A fraction: 0.05. Wins over behavior.*.tolerance.',
      },
      lowWatermark: { ...reference('quantity'), description: 'Below it, replicas go.' },
      highWatermark: { ...reference('quantity'), description: 'Above it, replicas come.' },
      algorithm: words('absolute compares the total, average the total per ready pod.', [
        'absolute',
        'average',
      ]),
    },
    { required: ['type'] },
  );
}

/** The schema of `spec.behavior`. */
export function behaviorSchema(dialect: SchemaDialect): JsonObject {
  return {
    ...map({ scaleUp: directionSchema(dialect, 'up'), scaleDown: directionSchema(dialect, 'down') }),
    type: ['object', 'null'],
  };
}

function directionSchema(dialect: SchemaDialect, direction: 'up' | 'down'): JsonObject {
  const limit = direction === 'up' ? 'at least 0' : 'at least 0, below 100';
  const own = {
    limitPercent: {
      ...reference('quantity'),
      description: `Most that may change at once, in percent: ${limit}; 0 forbids.`,
    },
    forbiddenWindowSeconds: whole('Time after any scaling in which this direction waits.', { minimum: 0 }),
    delaySeconds: whole('Time that a watermark must be crossed first.', { minimum: 0 }),
  };
  const fields = {
    stabilizationWindowSeconds: whole('How far back recommendations count.', {
      minimum: 0,
      maximum: 3600,
      type: ['integer', 'null'],
    }),
    selectPolicy: { enum: ['Max', 'Min', 'Disabled', null] },
    policies: list('Rates.', ratePolicy, { minItems: 1, type: ['array', 'null'] }),
    tolerance: { anyOf: [reference('quantity'), { type: 'null' }] },
  };
  return { ...map(dialect === 'native' ? { ...fields, ...own } : fields), type: ['object', 'null'] };
}

const ratePolicy = map(
  {
    type: words('Counted in pods or percent.', ['Pods', 'Percent']),
    value: whole('Most that may change within the period.', { minimum: 1 }),
    periodSeconds: whole('The period.', { minimum: 1, maximum: 1800 }),
  },
  { required: ['type', 'value', 'periodSeconds'] },
);
