import { describe, expect, it } from '@jest/globals';
import type { Json, JsonObject } from '#kernel';
import { parsePolicyJson } from '../documents/parse-policy.ts';
import type { EffectivePolicy } from '../model/effective-policy.ts';
import { comparePolicies } from './compare-policies.ts';

const cpu = (percent: number): JsonObject => ({
  type: 'Resource',
  resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: percent } },
});
const queue = (averageValue: string): JsonObject => ({
  type: 'External',
  external: { metric: { name: 'queue' }, target: { type: 'AverageValue', averageValue } },
});

function aPolicy(spec: JsonObject, metadata: JsonObject = {}): EffectivePolicy {
  const read = parsePolicyJson({
    apiVersion: 'plimsoll.dev/v1alpha1',
    kind: 'AutoscalingPolicy',
    metadata: { name: 'web', namespace: 'shop', ...metadata },
    spec: {
      scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' },
      minReplicas: 4,
      maxReplicas: 9,
      ...spec,
    },
  });
  if (!read.ok) throw new Error(JSON.stringify(read.error));
  return read.value;
}

const schedule = { name: 'evening', cron: '0 17 * * *', timeZone: 'UTC', duration: '5h', minReplicas: 6 };
const policies = [
  { type: 'Pods', value: 4, periodSeconds: 60 },
  { type: 'Percent', value: 50, periodSeconds: 60 },
];

const cases = [
  { name: 'a bound', from: {}, to: { minReplicas: 6 }, want: ['minReplicas 4 6'] },
  {
    name: 'a default that is written out: nothing',
    from: {},
    to: { metrics: [cpu(80)], interval: '15s' },
    want: [],
  },
  {
    name: 'a quantity in other letters: nothing',
    from: { metrics: [queue('500m')] },
    to: { metrics: [queue('0.5')] },
    want: [],
  },
  {
    name: 'a duration in another unit: nothing',
    from: { interval: '60s' },
    to: { interval: '1m' },
    want: [],
  },
  {
    name: 'metrics in another order: nothing',
    from: { metrics: [cpu(60), queue('1')] },
    to: { metrics: [queue('1'), cpu(60)] },
    want: [],
  },
  {
    name: 'a target of one metric of two',
    from: { metrics: [cpu(60), queue('1')] },
    to: { metrics: [queue('1'), cpu(70)] },
    want: ['metrics[Resource cpu].resource.target.averageUtilization 60 70'],
  },
  {
    name: 'a metric that is added',
    from: { metrics: [cpu(60)] },
    to: { metrics: [cpu(60), queue('1')] },
    want: [
      'metrics[External queue] - {"type":"External","external":{"metric":{"name":"queue"},"target":{"type":"AverageValue","averageValue":"1"}}}',
    ],
  },
  {
    name: 'a schedule, by its name',
    from: { schedules: [schedule] },
    to: {
      schedules: [
        { ...schedule, name: 'night' },
        { ...schedule, minReplicas: 7 },
      ],
    },
    want: [
      'schedules[evening].minReplicas 6 7',
      'schedules[night] - {"name":"night","cron":"0 17 * * *","timeZone":"UTC","duration":"5h","minReplicas":6}',
    ],
  },
  {
    name: 'a rate policy, by type and period',
    from: { behavior: { scaleUp: { policies } } },
    to: {
      behavior: {
        scaleUp: {
          policies: policies
            .toReversed()
            .map((each) => (each.type === 'Pods' ? { ...each, value: 8 } : each)),
        },
      },
    },
    want: ['behavior.scaleUp.policies[Pods 60s].value 4 8'],
  },
] as const;

describe('comparePolicies', () => {
  it.each(cases)('$name', ({ from, to, want }) => {
    const changes = comparePolicies(aPolicy(from), aPolicy(to));
    expect(changes.map(({ path, before, after }) => `${path} ${shown(before)} ${shown(after)}`)).toEqual(
      want,
    );
  });

  it('reports changes of our annotations, and of no others', () => {
    const annotations = { 'plimsoll.dev/prune': 'disabled', team: 'a' };
    expect(comparePolicies(aPolicy({}), aPolicy({}, { annotations }))).toEqual([
      { path: 'annotations', after: { 'plimsoll.dev/prune': 'disabled' } },
    ]);
  });

  it('names a metric that stands there twice by its number', () => {
    const changes = comparePolicies(
      aPolicy({ metrics: [cpu(60), cpu(70)] }),
      aPolicy({ metrics: [cpu(60), cpu(75)] }),
    );
    expect(changes.map(({ path }) => path)).toEqual([
      'metrics[Resource cpu #2].resource.target.averageUtilization',
    ]);
  });
});

function shown(value: Json | undefined): string {
  if (value === undefined) return '-';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
