import { Random } from '../../support/random.ts';
import { metadata, selector, target } from './document-parts.ts';
import type { Json, JsonMap } from './document-values.ts';
import { mutate, type Palette } from './mutate-document.ts';

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

const spelledNumbers = [
  ...[
    '1.0',
    '1e2',
    '0.5e1',
    '-0',
    '60.0',
    '6e1',
    '1E+2',
    '2147483647',
    '2147483648',
    '1e400',
    '-1',
    '0',
    '1e-1',
  ],
  ...['01', '+1', '.5', '1.', '0x1', 'NaN', '"1"', 'null', '12345678901234567890', '1e18', '0.0000000001'],
];
const jsonEdits: readonly ((text: string, random: Random) => string)[] = [
  (text, random) => text.replaceAll(/:\d+/g, () => `:${random.pick(spelledNumbers)}`),
  (text, random) => text.replace(/:"?\d+\w*"?/, () => `:${random.pick(spelledNumbers)}`),
  (text) => text.replace(/"(\w+)":/, (key, name: string) => `${key}1,"${name.toUpperCase()}":`),
  (text) => text.replace(/"(\w+)":([^,{[\]}]+)/, '"$1":$2,"$1":$2'),
  (text) => text.replace(/"t(\w+)":/g, String.raw`"\u0074$1":`),
  (text) => text.replaceAll('"s', '"ſ'),
  (text) => text.replaceAll('k', '\u212a'),
  (text) => text.replaceAll('i', 'ı'),
  (text) => text.replaceAll('st', 'ﬆ'),
  (text) => ` \n\t${text.replaceAll(':', ' : ')} `,
  (text) => `\ufeff${text}`,
  (text) => `${text}x`,
  (text) => `${text} []`,
  (text, random) => text.slice(0, random.below(text.length)),
  (text) => text.replaceAll('}', ',}'),
  (text) => text.replaceAll('"', "'"),
  (text) => text.replace('{', '{"unknown":{"a":[1,{"b":null}]},'),
  (text) => `${text}// a comment`,
  () => '',
  () => 'null',
  () => '[]',
  () => '{}',
  () => '[null]',
  () => '[{}]',
  () => '""',
  () => '{"scaleUp":{}}',
  () => '{"scaleUp":{"policies":null}}',
  () => '{"scaleUp":{"policies":[]}}',
  () => '{"scaleDown":null,"ScaleDown":null}',
  () => '[{"type":""}]',
  () => '[[]]',
];

/** What an annotation holds; every fourth one is spelled as JSON is not usually. */
function jsonText(value: Json, random: Random): string {
  const text = JSON.stringify(value);
  return random.chance(0.25) ? random.pick(jsonEdits)(text, random) : text;
}

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
    annotations['autoscaling.alpha.kubernetes.io/metrics'] = jsonText(list, random);
  }
  if (random.chance(0.3)) {
    const behavior: JsonMap = { ScaleUp: direction() };
    if (random.chance(0.5)) behavior['scaleDown'] = direction();
    if (random.chance(0.8)) mutate(behavior, palette, random);
    annotations['autoscaling.alpha.kubernetes.io/behavior'] = jsonText(behavior, random);
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
