import { describe, expect, it } from '@jest/globals';
import { aPod, decideFor, queue } from '../testing/decide-for.ts';

const second = { ...queue, external: { ...queue.external, metric: { name: 'second' } } };

describe('the winning metric', () => {
  it('is the later one while the best proposal is 0, as upstream', () => {
    const { decision } = decideFor({
      spec: { metrics: [queue, second] },
      observation: { metrics: [{ values: ['0'] }, { values: ['0'] }] },
    });
    expect(decision.steps.find(({ rule }) => rule === 'highest-proposal')?.because).toMatch(
      /^second proposes 0/,
    );
  });

  it('is the first of equal ones', () => {
    const { decision } = decideFor({
      spec: { metrics: [queue, second] },
      observation: { metrics: [{ values: ['6'] }, { values: ['6'] }] },
    });
    expect(decision.reason).toBe('external metric queue(nil) above target');
  });
});

describe('a zero value', () => {
  const gauge = {
    type: 'External',
    external: {
      metric: { name: 'gauge' },
      target: { type: 'Watermark', lowWatermark: '1', highWatermark: '1000' },
    },
  };

  it.each([
    { wanted: 12, to: 12, action: 'ScaleUp' },
    { wanted: 10, to: 10, action: 'Hold' },
    { wanted: 5, to: 10, action: 'Hold' },
  ])('beside a metric that proposes $wanted of 10 comes to $action', ({ wanted, to, action }) => {
    const { decision } = decideFor({
      current: 10,
      spec: { metrics: [queue, gauge] },
      observation: { metrics: [{ values: [String(wanted)] }, { values: ['0'] }] },
    });
    expect(decision).toMatchObject({
      desiredReplicas: to,
      action,
      policy: { namespace: 'shop', name: 'web' },
    });
  });

  it.each([
    { name: 'is disabled', spec: { enabled: false } },
    {
      name: 'is blocked',
      spec: {
        lifecycle: {
          blockedBy: { apiVersion: 'v1', kind: 'ConfigMap', name: 'brake', jsonPath: '{.data.on}' },
        },
      },
    },
  ])('or another is no word on AbleToScale while the policy $name', ({ spec }) => {
    const { decision } = decideFor({
      spec: { metrics: [gauge], ...spec },
      observation: { metrics: [{ values: ['0'] }] },
    });
    expect(decision.conditions.some(({ type }) => type === 'AbleToScale')).toBe(false);
  });
});

describe('a watermark metric', () => {
  const target = { type: 'Watermark', lowWatermark: '10m', highWatermark: '20m' };
  const cpu = { type: 'Resource', resource: { name: 'cpu', target } };
  const sample = (pod: string, value: string): object => ({
    pod,
    containers: [{ name: 'app', usage: { cpu: value } }],
  });

  it.each(['-5m', 'NaN'])('does not look at a sample of %s from outside the selection', (value) => {
    const { decision } = decideFor({
      current: 1,
      spec: { metrics: [cpu] },
      observation: {
        pods: [aPod('pod-0')],
        metrics: [{ pods: [sample('pod-0', '15m'), sample('stranger', value)] }],
      },
    });
    expect(decision.metrics[0]).toMatchObject({ error: null, current: { averageValue: '15m' } });
  });
});

describe('a recommendation', () => {
  it.each([
    { current: 5, upper: 5, above: 'False', below: 'False' },
    { current: 6, upper: 5, above: 'False', below: 'True' },
    { current: 2, upper: 5, above: 'False', below: 'False' },
    { current: 1, upper: 5, above: 'True', below: 'False' },
  ])('of 2 to $upper replicas sees $current of them', ({ current, upper, above, below }) => {
    const { decision } = decideFor({
      current,
      spec: {
        recommender: {
          url: 'https://advice.example.org/',
          targetType: 'cpu',
          lowWatermark: 1,
          highWatermark: 2,
        },
      },
      observation: { recommendation: { replicas: 4, lowerBound: 2, upperBound: upper } },
    });
    const status = (type: string): string | undefined =>
      decision.conditions.find((condition) => condition.type === type)?.status;
    expect([status('AboveHighWatermark'), status('BelowLowWatermark')]).toEqual([above, below]);
    expect(decision.metrics[0]?.target).toEqual({
      type: 'Watermark',
      targetType: 'cpu',
      lowWatermark: '1',
      highWatermark: '2',
    });
  });
});
