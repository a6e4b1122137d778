import { describe, expect, it } from '@jest/globals';
import { ago, aPod, decideFor, queue } from '../testing/decide-for.ts';

const toNight = { windows: [{ kind: 'Schedule', name: 'night', minReplicas: 0 }] };
const cpu = {
  type: 'Resource',
  resource: { name: 'cpu', target: { type: 'AverageValue', averageValue: '50m' } },
};

function idle(pod: string): object {
  return { pod, containers: [{ name: 'app', usage: { cpu: '0' } }] };
}

describe('velocity', () => {
  const value = {
    type: 'External',
    external: { metric: { name: 'load' }, target: { type: 'Value', value: '100' } },
  };

  it.each([
    { ready: 0, to: 8 },
    { ready: 7, to: 10 },
    { ready: 8, to: 8 },
  ])('with $ready ready pods where 8 of 10 would be kept goes to $to', ({ ready, to }) => {
    const { decision } = decideFor({
      current: 10,
      spec: {
        metrics: [value],
        behavior: { scaleDown: { stabilizationWindowSeconds: 0, limitPercent: 20 } },
      },
      observation: {
        pods: Array.from({ length: 10 }, (_, index) =>
          aPod(`pod-${index}`, index < ready ? {} : { ready: null }),
        ),
        metrics: [{ values: ['1'] }],
      },
      memory: { recommendations: [] },
    });
    expect(decision.desiredReplicas).toBe(to);
  });
});

describe('a forbidden window', () => {
  it.each([
    { seconds: 0, to: 6 },
    { seconds: 1, to: 4 },
  ])('of $seconds s after a scaling in the future goes to $to', ({ seconds, to }) => {
    const { decision } = decideFor({
      spec: { metrics: [queue], behavior: { scaleUp: { forbiddenWindowSeconds: seconds } } },
      observation: { metrics: [{ values: ['6'] }] },
      memory: { lastScaleTime: ago(-60) },
    });
    expect(decision.desiredReplicas).toBe(to);
  });
});

describe('a policy whose Object metric stands beside a CPU metric', () => {
  it('counts as its own the zero that it comes to', () => {
    const hits = {
      type: 'Object',
      object: {
        metric: { name: 'hits' },
        describedObject: { apiVersion: 'v1', kind: 'Service', name: 'web' },
        target: { type: 'AverageValue', averageValue: '1' },
      },
    };
    const { decision, memory } = decideFor({
      current: 1,
      spec: { minReplicas: 0, metrics: [cpu, hits] },
      observation: { metrics: [{ pods: [idle('pod-0')] }, { value: '0' }] },
      memory: { recommendations: [] },
    });
    expect(decision.desiredReplicas).toBe(0);
    expect(memory.conditions?.find(({ type }) => type === 'ScaledToZero')?.reason).toBe('ScaledToZero');
  });
});

describe('a policy without Object and External metrics that a schedule lets go to zero', () => {
  it('does not count as its own zero', () => {
    const { decision, memory } = decideFor({
      current: 1,
      spec: { metrics: [cpu] },
      observation: { ...toNight, metrics: [{ pods: [idle('pod-0')] }] },
      memory: { recommendations: [] },
    });
    expect(decision.desiredReplicas).toBe(0);
    expect(memory.conditions?.find(({ type }) => type === 'ScaledToZero')?.reason).toBe('NotScaledToZero');
  });

  it('stays paused there', () => {
    const { decision } = decideFor({
      current: 0,
      spec: { metrics: [cpu] },
      observation: toNight,
      memory: { conditions: [{ type: 'ScaledToZero', status: 'True', reason: 'ScaledToZero' }] },
    });
    expect(decision.steps.map(({ rule }) => rule)).toEqual(['schedule', 'paused']);
    expect(decision.action).toBe('None');
  });
});
