import { isJsonObject, type Json, type JsonObject } from '#kernel';
import { isList, type KubeObject, listAt, objectAt, textAt, valueAt } from '../objects/kube-object.ts';
import { type FieldProblem, invalidValue, required } from './field-problem.ts';
import type { FieldTypes } from './resource-definition.ts';

const periodSeconds = 15;
const cpuPercent = 80;

const targetFields: FieldTypes = {
  type: 'any',
  value: 'any',
  averageValue: 'any',
  averageUtilization: 'int32',
};
const metricFields: FieldTypes = { name: 'any', selector: 'any' };
const objectReference: FieldTypes = { apiVersion: 'any', kind: 'string', name: 'any' };
const rules: FieldTypes = {
  stabilizationWindowSeconds: 'int32',
  selectPolicy: 'string',
  policies: { type: 'string', value: 'int32', periodSeconds: 'int32' },
  tolerance: 'any',
};

/** The fields of autoscaling/v2, for strict decoding. */
export const autoscalerFields: FieldTypes = {
  apiVersion: 'any',
  kind: 'string',
  metadata: 'any',
  status: 'any',
  spec: {
    scaleTargetRef: objectReference,
    minReplicas: 'int32',
    maxReplicas: 'int32',
    behavior: { scaleUp: rules, scaleDown: rules },
    metrics: {
      type: 'any',
      resource: { name: 'any', target: targetFields },
      containerResource: { name: 'any', container: 'string', target: targetFields },
      pods: { metric: metricFields, target: targetFields },
      object: { metric: metricFields, target: targetFields, describedObject: objectReference },
      external: { metric: metricFields, target: targetFields },
    },
  },
};

const sources: Readonly<Record<string, string>> = {
  Resource: 'resource',
  ContainerResource: 'containerResource',
  Pods: 'pods',
  Object: 'object',
  External: 'external',
};

/** Defaults of autoscaling/v2: one replica at least, CPU at 80 %, and every rule of a behavior that is there. */
export function completeAutoscaler(object: KubeObject): KubeObject {
  const spec = objectAt(object, 'spec');
  const metrics = listAt(spec, 'metrics');
  return {
    ...object,
    spec: {
      minReplicas: 1,
      ...spec,
      metrics: metrics.length > 0 ? metrics : [defaultMetric()],
      ...(isJsonObject(spec['behavior']) ? { behavior: completeBehavior(spec['behavior']) } : {}),
    },
    status: { desiredReplicas: 0, currentMetrics: null, ...objectAt(object, 'status') },
  };
}

/** The rules of autoscaling/v2 that a mistaken writer meets first. */
export function validateAutoscaler(object: KubeObject): readonly FieldProblem[] {
  const spec = objectAt(object, 'spec');
  return [
    ...validateBounds(spec),
    ...validateTarget(spec),
    ...listAt(spec, 'metrics').flatMap(validateMetric),
  ];
}

function defaultMetric(): JsonObject {
  const target = { type: 'Utilization', averageUtilization: cpuPercent };
  return { type: 'Resource', resource: { name: 'cpu', target } };
}

function completeBehavior(behavior: JsonObject): JsonObject {
  const percent = { type: 'Percent', value: 100, periodSeconds: periodSeconds };
  const pods = { type: 'Pods', value: 4, periodSeconds: periodSeconds };
  const up = { stabilizationWindowSeconds: 0, selectPolicy: 'Max', policies: [pods, percent] };
  const down = { selectPolicy: 'Max', policies: [percent] };
  return {
    scaleUp: { ...up, ...objectAt(behavior, 'scaleUp') },
    scaleDown: { ...down, ...objectAt(behavior, 'scaleDown') },
  };
}

function validateBounds({ minReplicas: min, maxReplicas: max }: JsonObject): readonly FieldProblem[] {
  const problems: FieldProblem[] = [];
  const low = typeof min === 'number' ? min : 1;
  const high = typeof max === 'number' ? max : 0;
  if (low < 1) problems.push(invalidValue('spec.minReplicas', low, 'must be greater than or equal to 1'));

  if (high < 1) problems.push(invalidValue('spec.maxReplicas', high, 'must be greater than 0'));
  if (high < low)
    problems.push(invalidValue('spec.maxReplicas', high, 'must be greater than or equal to `minReplicas`'));

  return problems;
}

function validateTarget(spec: JsonObject): readonly FieldProblem[] {
  const at = 'spec.scaleTargetRef';
  const missing = ['kind', 'name'].filter((field) => (textAt(spec, 'scaleTargetRef', field) ?? '') === '');
  const problems = missing.map((field) => required(`${at}.${field}`));
  const apiVersion = textAt(spec, 'scaleTargetRef', 'apiVersion') ?? '';
  if (apiVersion.includes('/') || apiVersion === 'v1') return problems;
  return [...problems, invalidValue(`${at}.apiVersion`, apiVersion, 'apiVersion must specify API group')];
}

function validateMetric(metric: Json, index: number): readonly FieldProblem[] {
  const at = `spec.metrics[${index}]`;
  const source = sources[textAt(metric, 'type') ?? ''];
  if (source === undefined) return [required(`${at}.type`, 'must specify a metric source type')];
  if (valueAt(metric, source) === undefined)
    return [required(`${at}.${source}`, 'must populate information for the given metric source')];

  return isList(valueAt(metric, source)) ? [invalidValue(`${at}.${source}`, null, 'must be an object')] : [];
}
