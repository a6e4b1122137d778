import { describe, expect, it } from '@jest/globals';
import type { JsonObject } from '#kernel';
import { writtenProblems } from './tenant-limits.ts';

const tenant = { name: 'pay', path: 'teams/pay', limits: { maxReplicas: 25, minIntervalSeconds: 30 } };
const interval = 'spec.interval: tenant pay may evaluate every 30 s at most, not every';
const replicas = 'tenant pay may have at most 25 replicas,';

describe('what a document that is not valid breaks of the limits of its tenant', () => {
  it.each<{
    readonly name: string;
    readonly kind?: string;
    readonly spec: JsonObject[string];
    readonly want: readonly string[];
  }>([
    { name: 'nothing within them', spec: { maxReplicas: 25, interval: '30s' }, want: [] },
    { name: 'its interval', spec: { interval: '10s' }, want: [`${interval} 10 s`] },
    { name: 'the interval that it has by default', spec: {}, want: [`${interval} 15 s`] },
    {
      name: 'the same of a kind without an interval, whatever it says',
      kind: 'HorizontalPodAutoscaler',
      spec: { interval: '1m', schedules: [{ maxReplicas: 30 }] },
      want: [`${interval} 15 s`],
    },
    { name: 'no interval that is none', spec: { interval: '0s' }, want: [] },
    {
      name: 'the largest count, at its field',
      spec: {
        interval: '1m',
        maxReplicas: 26,
        replicas: 27,
        schedules: [{ minReplicas: 29 }, { maxReplicas: 28 }],
      },
      want: [`spec.schedules.0.minReplicas: ${replicas} 29 are asked for`],
    },
    {
      name: 'no count that is none',
      spec: { interval: '1m', maxReplicas: '30', replicas: 30.5, schedules: [null, { maxReplicas: '30' }] },
      want: [],
    },
    { name: 'nothing of a spec that is none', spec: [], want: [] },
  ])('is $name', ({ kind = 'AutoscalingPolicy', spec, want }) => {
    const problems = writtenProblems({ namespace: 'pay', kind }, { spec }, tenant);
    expect(problems.map(({ path, message }) => `${path.join('.')}: ${message}`)).toEqual(want);
  });
});
