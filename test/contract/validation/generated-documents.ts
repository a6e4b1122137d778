import { Random } from './random.ts';

type Json = string | number | boolean | null | Json[] | { [key: string]: Json };
type JsonMap = Record<string, Json>;

const names = [
  'a',
  '',
  '.',
  '..',
  'a/b',
  'a%b',
  'A',
  'a.b',
  'a..b',
  'a-',
  '-a',
  'a_b',
  'a b',
  'é',
  'x'.repeat(63),
  'x'.repeat(64),
  'x'.repeat(253),
  'x'.repeat(254),
  'a.b-',
  'example.com/a',
  'example.com/',
  '/a',
  'Example.com/a',
  'a/b/c',
  '1',
  '1.2',
  'kubernetes.io/a',
  'requests.cpu',
  'requests.example.com/a',
  'hugepages-2Mi',
  'hugepages-',
  'cpu',
  'memory',
  'ephemeral-storage',
  'ephemeral-Storage',
  'a\n',
  '\u212a',
  'x.kubernetes.io/y',
  `${'p'.repeat(250)}.io/x`,
  `${'p'.repeat(240)}/x`,
  `e.io/${'x'.repeat(63)}`,
  `e.io/${'x'.repeat(64)}`,
  'orphan',
  'foregroundDeletion',
  'kubernetes',
];
const integers = [
  -2147483649, -2147483648, -1, 0, 1, 2, 3, 5, 80, 99, 100, 101, 253, 1799, 1800, 1801, 3599, 3600, 3601,
  2147483647, 2147483648, 4294967296, 9007199254740991, 1.5, 0.5, 1e21, -0.1,
];
const quantities = [
  '0',
  '-1',
  '-0',
  '1',
  '1m',
  '0.1m',
  '1n',
  '0.1n',
  '0.0000000001',
  '.5',
  '5.',
  '5.5',
  '1e3',
  '1E3',
  '1e-3',
  '1e+3',
  '1E',
  '1e',
  '1e10',
  '1Ki',
  '1ki',
  '1K',
  '1k',
  '+1',
  '1 ',
  ' 1',
  '',
  '.',
  '+',
  '-',
  'Ki',
  'm',
  'NaN',
  'inf',
  '1.5Gi',
  '1u',
  '1Ei',
  '100E',
  '9e18',
  '9e19',
  '1,5',
  '0x10',
  '1_000',
  '010',
  '1.2.3',
  '--1',
  '1mm',
  '1e1e1',
  '1e1.5',
  '1Kim',
  '\u0663',
  0,
  1,
  -1,
  0.5,
  1e-9,
  1e-10,
  1e3,
  1e21,
  12345678901234567890,
  1.5,
  100,
  '1P',
  '1T',
  '9223372036854775807',
  '9223372036854775808',
  '0.5Ki',
  '-5Mi',
  '1e99',
  '-1e-99',
  '1e-99',
  '00.1',
  '0e0',
  '1.e3',
  '.e3',
];
const words = [
  'Utilization',
  'utilization',
  'Value',
  'AverageValue',
  'Resource',
  'Pods',
  'Object',
  'External',
  'ContainerResource',
  'Max',
  'Min',
  'Disabled',
  'max',
  'Percent',
  'percent',
  'In',
  'NotIn',
  'Exists',
  'DoesNotExist',
  'in',
  '',
  'Foo',
  'Watermark',
];
const versions = [
  'apps/v1',
  'v1',
  '',
  '/',
  '/v1',
  'apps/',
  'apps',
  'a/b/c',
  'apps/v1/',
  'argoproj.io/v1alpha1',
  'APPS/V1',
  ' apps/v1',
  '//',
];
const times = [
  '2026-01-01T00:00:00Z',
  '2026-01-01T00:00:00.123456789Z',
  '2026-01-01T0:00:00Z',
  '2026-02-29T00:00:00Z',
  '2024-02-29T00:00:00Z',
  '2026-01-01T24:00:00Z',
  '2026-01-01T23:59:60Z',
  '2026-01-01T00:00:00+01:00',
  '2026-01-01',
  '2026-01-01 00:00:00Z',
  '2026-01-01T00:00:00',
  '2026-01-01t00:00:00z',
  '2026-01-01T00:00:00,5Z',
  '2026-01-01T00:00:00+24:00',
  '2026-01-01T00:00:00+25:00',
  '2026-13-01T00:00:00Z',
  '2026-01-32T00:00:00Z',
  '2026-01-00T00:00:00Z',
  '0000-01-01T00:00:00Z',
  '20260-01-01T00:00:00Z',
  '2026-01-01T00:00:00+0100',
  '2026-01-01T00:00:00-00:60',
  '2026-01-01T00:00:00-00:61',
  '',
  'x',
  '2026-01-01T00:60:00Z',
  '2026-01-01T00:00:00.Z',
  '2026-01-01T1:1:1Z',
];
const anything: readonly Json[] = [
  null,
  true,
  false,
  '',
  'text',
  '5',
  0,
  1,
  1.5,
  [],
  {},
  [null],
  [1],
  ['a'],
  { a: 1 },
  [[]],
  [{}],
];

/** Values that a field may meet, by its name. */
function valuesFor(key: string): readonly Json[] {
  if (/Seconds$|Replicas$|^averageUtilization$|Percentage$|Utilization$|^value$/.test(key) && key !== 'value')
    return integers;
  if (/^(generation|deletionGracePeriodSeconds)$/.test(key)) return integers;
  if (key === 'value') return [...quantities, ...integers];
  if (/Value$|tolerance$/.test(key)) return quantities;
  if (/^(type|selectPolicy|operator)$/.test(key)) return words;
  if (key === 'apiVersion') return versions;
  if (/Timestamp$|^time$/.test(key)) return times;
  return names;
}

const selector = (): JsonMap => ({
  matchLabels: { app: 'shop', 'example.com/tier': 'web' },
  matchExpressions: [
    { key: 'a', operator: 'In', values: ['b', 'c'] },
    { key: 'd', operator: 'Exists' },
  ],
});

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

function metadata(random: Random): JsonMap {
  const all: JsonMap = {
    name: 'checkout',
    namespace: 'shop',
    generateName: 'checkout-',
    labels: { app: 'checkout', 'example.com/tier': 'web' },
    annotations: { 'example.com/Owner': 'a', note: 'some text' },
    finalizers: ['example.com/keep'],
    ownerReferences: [
      {
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        name: 'a',
        uid: 'b',
        controller: true,
        blockOwnerDeletion: false,
      },
    ],
    generation: 1,
    creationTimestamp: '2026-01-01T00:00:00Z',
    deletionGracePeriodSeconds: 5,
    uid: 'x',
    selfLink: '/x',
    managedFields: [
      {
        manager: 'm',
        operation: 'Update',
        apiVersion: 'v1',
        time: '2026-01-01T00:00:00Z',
        fieldsType: 'FieldsV1',
        fieldsV1: {},
      },
    ],
  };
  return Object.fromEntries(
    Object.entries(all).filter(([key]) => key === 'name' || key === 'namespace' || random.chance(0.3)),
  );
}

const target = (): JsonMap => ({ apiVersion: 'apps/v1', kind: 'Deployment', name: 'checkout' });

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
    if (random.chance(0.8)) mutate(list, random);
    annotations['autoscaling.alpha.kubernetes.io/metrics'] = JSON.stringify(list);
  }
  if (random.chance(0.3)) {
    const behavior: JsonMap = { ScaleUp: direction() };
    if (random.chance(0.5)) behavior['scaleDown'] = direction();
    if (random.chance(0.8)) mutate(behavior, random);
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
  for (let change = 0; change < changes; change++) mutate(document, random);
  document['apiVersion'] = isV1 ? 'autoscaling/v1' : 'autoscaling/v2';
  document['kind'] = 'HorizontalPodAutoscaler';
  return document;
}

interface Slot {
  readonly parent: JsonMap | Json[];
  readonly key: string | number;
  readonly name: string;
}

function slotsOf(value: Json, slots: Slot[] = [], name = ''): Slot[] {
  if (Array.isArray(value)) {
    for (const [key, item] of value.entries()) {
      slots.push({ parent: value, key, name });
      slotsOf(item, slots, name);
    }
  } else if (typeof value === 'object' && value !== null) {
    for (const [key, item] of Object.entries(value)) {
      slots.push({ parent: value, key, name: key });
      slotsOf(item, slots, key);
    }
  }
  return slots;
}

/** Changes one place of a value. */
function mutate(value: Json, random: Random): void {
  const slots = slotsOf(value);
  if (slots.length === 0) return;
  const { parent, key, name } = random.pick(slots);
  const set = (next: Json): void => {
    (parent as Record<string | number, Json>)[key] = structuredClone(next);
  };
  const roll = random.next();
  if (roll < 0.55) set(random.pick(valuesFor(name)));
  else if (roll < 0.65) set(random.pick(anything));
  else if (roll < 0.75) remove(parent, key);
  else if (roll < 0.85) rename(parent, key, random);
  else if (roll < 0.93) add(parent, random);
  else
    set(random.pick([null, '${VALUE}', random.pick(names), random.pick(quantities), random.pick(integers)]));
}

function remove(parent: JsonMap | Json[], key: string | number): void {
  if (Array.isArray(parent)) parent.splice(Number(key), 1);
  else Reflect.deleteProperty(parent, key);
}

/** Another letter case, or another key altogether. */
function rename(parent: JsonMap | Json[], key: string | number, random: Random): void {
  if (Array.isArray(parent)) {
    parent.push(structuredClone(parent[Number(key)] ?? null));
    return;
  }
  const name = String(key);
  const value = parent[name] ?? null;
  const next = random.pick([
    name.toUpperCase(),
    name.slice(1),
    `${name}s`,
    random.pick(names),
    name.slice(0, 1).toUpperCase() + name.slice(1),
  ]);
  if (random.chance(0.5)) Reflect.deleteProperty(parent, name);
  parent[next] = value;
}

function add(parent: JsonMap | Json[], random: Random): void {
  const extra = random.pick([
    random.pick(metricBuilders)(),
    utilization(),
    selector(),
    direction(),
    ...anything,
  ]);
  if (Array.isArray(parent)) parent.push(structuredClone(extra));
  else {
    const key = random.pick([
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
    ]);
    const value = random.chance(0.5) ? random.pick(valuesFor(key)) : extra;
    parent[key] = structuredClone(value);
  }
}
