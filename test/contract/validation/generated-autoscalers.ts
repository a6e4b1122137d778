import { metadata, selector, target } from './document-parts.ts';
import type { Json, JsonMap } from './document-values.ts';
import { mutate, type Palette } from './mutate-document.ts';
import { Random } from './random.ts';

const utilization = (): JsonMap => ({ type: 'Utilization', averageUtilization: 60 });
const metricBuilders: readonly (() => JsonMap)[] = [
  () => ({ type: 'Resource', resource: { name: 'cpu', target: utilization() } }),
  () => ({
    type: 'Resource',
    resource: { name: 'memory', target: { type: 'AverageValue', averageValue: '500Mi' } },
  }),
  () => ({
    type: 'ContainerResource',
    containerResource: { name: 'cpu', container: 'app', target: utilization() },
  }),
  () => ({
    type: 'Pods',
    pods: {
      metric: { name: 'qps', selector: selector() },
      target: { type: 'AverageValue', averageValue: '1k' },
    },
  }),
  () => ({
    type: 'Object',
    object: {
      describedObject: { apiVersion: 'networking.k8s.io/v1', kind: 'Ingress', name: 'main' },
      metric: { name: 'requests' },
      target: { type: 'Value', value: '10k' },
    },
  }),
  () => ({
    type: 'External',
    external: {
      metric: { name: 'queue', selector: selector() },
      target: { type: 'AverageValue', averageValue: 30 },
    },
  }),
  () => ({
    type: 'External',
    external: { metric: { name: 'queue' }, target: { type: 'Value', value: '30' } },
  }),
];

const direction = (): JsonMap => ({
  stabilizationWindowSeconds: 60,
  selectPolicy: 'Max',
  policies: [
    { type: 'Pods', value: 4, periodSeconds: 15 },
    { type: 'Percent', value: 50, periodSeconds: 60 },
  ],
  tolerance: '0.05',
});

const palette: Palette = {
  keys: [
    'minReplicas',
    'metrics',
    'behavior',
    'value',
    'averageValue',
    'averageUtilization',
    'resource',
    'pods',
    'object',
    'external',
    'containerResource',
    'selector',
    'tolerance',
    'policies',
    'status',
    'spec',
    'extra',
    'controller',
    'selectionStrategy',
    'scaleUp',
    'scaleDown',
    'resourceRequirements',
  ],
  parts: [...metricBuilders, utilization, selector, direction],
};

function validV2(random: Random): JsonMap {
  const spec: JsonMap = { scaleTargetRef: target(), maxReplicas: 9 };
  if (random.chance(0.7)) spec['minReplicas'] = random.pick([0, 1, 2]);
  if (random.chance(0.85))
    spec['metrics'] = Array.from({ length: 1 + random.below(2) }, () => random.pick(metricBuilders)());
  if (random.chance(0.5)) {
    const behavior: JsonMap = {};
    if (random.chance(0.7)) behavior['scaleUp'] = direction();
    if (random.chance(0.7)) behavior['scaleDown'] = direction();
    spec['behavior'] = behavior;
  }
  return { apiVersion: 'autoscaling/v2', kind: 'HorizontalPodAutoscaler', metadata: metadata(random), spec };
}

const olderMetrics: readonly (() => JsonMap)[] = [
  () => ({ type: 'Resource', resource: { name: 'memory', targetAverageUtilization: 70 } }),
  () => ({ type: 'Resource', resource: { name: 'memory', targetAverageValue: '100Mi' } }),
  () => ({
    type: 'ContainerResource',
    containerResource: { name: 'cpu', container: 'app', targetAverageUtilization: 70 },
  }),
  () => ({ type: 'Pods', pods: { metricName: 'qps', selector: selector(), targetAverageValue: '5' } }),
  () => ({
    type: 'Object',
    object: {
      target: { kind: 'Ingress', name: 'main', apiVersion: 'networking.k8s.io/v1' },
      metricName: 'r',
      targetValue: '5',
    },
  }),
  () => ({
    type: 'Object',
    object: {
      target: { kind: 'Ingress', name: 'main' },
      metricName: 'r',
      averageValue: '5',
      targetValue: '0',
    },
  }),
  () => ({ type: 'External', external: { metricName: 'q', metricSelector: selector(), targetValue: '5' } }),
  () => ({ type: 'External', external: { metricName: 'q', targetAverageValue: 5 } }),
];

/** A v1 document and what its annotations hold, which is mutated before it becomes text. */
function v1Document(random: Random): JsonMap {
  const spec: JsonMap = { scaleTargetRef: target(), maxReplicas: 9 };
  if (random.chance(0.6)) spec['minReplicas'] = random.pick([0, 1, 2]);
  if (random.chance(0.5)) spec['targetCPUUtilizationPercentage'] = 70;
  const document: JsonMap = {
    apiVersion: 'autoscaling/v1',
    kind: 'HorizontalPodAutoscaler',
    metadata: metadata(random),
    spec,
  };
  const annotations: JsonMap = {};
  if (random.chance(0.7)) {
    const list: Json = Array.from({ length: 1 + random.below(2) }, () => random.pick(olderMetrics)());
    if (random.chance(0.8)) mutate(list, palette, random);
    annotations['autoscaling.alpha.kubernetes.io/metrics'] = JSON.stringify(list);
  }
  if (random.chance(0.3)) {
    const behavior: JsonMap = { ScaleUp: direction() };
    if (random.chance(0.5)) behavior['scaleDown'] = direction();
    if (random.chance(0.8)) mutate(behavior, palette, random);
    annotations['autoscaling.alpha.kubernetes.io/behavior'] = JSON.stringify(behavior);
  }
  const own = (document['metadata'] as JsonMap)['annotations'];
  (document['metadata'] as JsonMap)['annotations'] = { ...(own as JsonMap | undefined), ...annotations };
  return document;
}

/** A document that differs from a valid one in a few places. */
export function generateHpa(seed: number): JsonMap {
  const random = new Random(seed);
  const isV1 = random.chance(0.3);
  const document = isV1 ? v1Document(random) : validV2(random);
  const changes = random.pick([0, 1, 1, 1, 1, 2, 3]);
  for (let change = 0; change < changes; change++) mutate(document, palette, random);
  document['apiVersion'] = isV1 ? 'autoscaling/v1' : 'autoscaling/v2';
  document['kind'] = 'HorizontalPodAutoscaler';
  return document;
}
