import type { JsonObject } from '#kernel';
import { type Dialect, list, map, nullable, reference, text, whole, words } from './parts.ts';

/** The metric of a policy that names none: CPU utilisation, in percent. */
export const defaultCpuUtilization = 80;

const targetTypes = ['Utilization', 'Value', 'AverageValue'] as const;
const targetValues = {
  averageUtilization: nullable(whole('Percent of the request.', { minimum: 1 })),
  averageValue: reference('quantity'),
  value: reference('quantity'),
};

/** The `target` of a metric source. */
export const targetSchemas = {
  'autoscaling/v2': map(
    { type: words('How it is compared.', targetTypes), ...targetValues },
    { required: ['type'] },
  ),
  native: map(
    {
      type: words('How it is compared.', [...targetTypes, 'Watermark']),
      ...targetValues,
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
  ),
} as const;

/** The metric of a source that is no resource. */
export const identifierSchema = map(
  { name: text('The metric.', { minLength: 1 }), selector: reference('selector') },
  { required: ['name'] },
);

function hpaSources<T extends JsonObject>(target: T) {
  const metric = identifierSchema;
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

/** The source that each type of metric has, by the field that holds it. */
export const sourceSchemas = {
  'autoscaling/v2': hpaSources(targetSchemas['autoscaling/v2']),
  native: {
    ...hpaSources(targetSchemas.native),
    prometheus: map(
      {
        server: text('The name of a server of the configuration, never a URL.'),
        query: text('PromQL; the values of a vector are summed.', { minLength: 1, maxLength: 4096 }),
        name: text('What reports call it; left out, the query.'),
        target: targetSchemas.native,
      },
      { required: ['server', 'query', 'target'] },
    ),
  },
} as const;

const types = ['Resource', 'ContainerResource', 'Pods', 'Object', 'External'] as const;

/** One metric. */
export const metricSchemas = {
  'autoscaling/v2': map(
    { type: words('Which source follows.', types), ...sourceSchemas['autoscaling/v2'] },
    { required: ['type'] },
  ),
  native: map(
    { type: words('Which source follows.', [...types, 'Prometheus']), ...sourceSchemas.native },
    { required: ['type'] },
  ),
} as const;

/** Each is asked for in every pass, and stands in every decision. */
export const maximumMetrics = 100;

/** The schema of `spec.metrics`. */
export function metricsSchema(dialect: Dialect): JsonObject {
  const description = `The highest proposal of all metrics wins. Left out: CPU utilisation ${defaultCpuUtilization} %.`;
  return nullable(list(description, metricSchemas[dialect], { maxItems: maximumMetrics }));
}
