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

  it('leaves out a pod whose readiness was not observed', () => {
    const { decision } = decideFor({
      current: 2,
      spec: { metrics: [cpu] },
      observation: {
        pods: [aPod('pod-0'), aPod('pod-1', { ready: undefined })],
        metrics: [{ pods: [sample('pod-0', '15m'), sample('pod-1', '90m')] }],
      },
    });
    expect(decision.metrics[0]).toMatchObject({
      current: { averageValue: '15m' },
      pods: { ready: ['pod-0'], ignored: ['pod-1'] },
    });
  });

  it('trusts no sample beside an error', () => {
    const { decision } = decideFor({
      current: 1,
      spec: { metrics: [cpu] },
      observation: {
        pods: [aPod('pod-0')],
        metrics: [{ error: { reason: 'Down', message: '503' }, pods: [sample('pod-0', '15m')] }],
      },
    });
    expect(decision.metrics[0]).toMatchObject({
      error: { message: 'Down: 503' },
      pods: { ready: [], missing: ['pod-0'] },
    });
  });

  it('has no metrics where no pods were listed', () => {
    const { decision } = decideFor({
      current: 1,
      spec: { metrics: [cpu] },
      observation: { pods: [aPod('pod-0')], metrics: [{}] },
    });
    expect(decision.metrics[0]?.error?.message).toBe('no metrics returned from resource metrics API');
  });

  it.each([
    {
      name: 'of an hour from now',
      times: ['2026-11-20T13:00:00Z', '2026-11-20T13:00:01Z'],
      want: '2 samples are not believed: that of pod pod-0 of 2026-11-20T13:00:00Z lies more than 60 s in the future',
    },
    {
      name: 'of an hour ago',
      times: ['2026-11-20T11:00:00Z'],
      want: 'a sample is not believed: that of pod pod-0 of 2026-11-20T11:00:00Z is older than 180 s',
    },
  ])('says so where the only samples are $name', ({ times, want }) => {
    const { decision } = decideFor({
      current: 2,
      settings: { maximumSampleAgeSeconds: 180, maximumFutureSeconds: 60 },
      spec: { metrics: [cpu] },
      observation: {
        time: '2026-11-20T12:00:00Z',
        pods: [aPod('pod-0'), aPod('pod-1')],
        metrics: [
          {
            pods: times
              .map((timestamp, index) => ({ ...sample(`pod-${index}`, '15m'), timestamp }))
              .reverse(),
          },
        ],
      },
    });
    expect(decision.metrics[0]?.error?.message).toBe(
      `did not receive metrics for targeted pods (pods might be unready); ${want}`,
    );
  });
});

describe('a utilization', () => {
  const target = { type: 'Utilization', averageUtilization: 60 };
  const cpu = { type: 'Resource', resource: { name: 'cpu', target } };
  const sample = (pod: string, value: string): object => ({
    pod,
    containers: [{ name: 'app', usage: { cpu: value } }],
  });
  const requesting = (name: string, request: string): object =>
    aPod(name, { containers: [{ name: 'app', requests: { cpu: request } }] });
  // Beyond 2⁵³ milli-units, where integers are divided exactly.
  const huge = '9007199254741';

  it.each([
    { name: 'the counted pods request nothing', pods: [requesting('pod-0', '0')], usage: '5m' },
    { name: 'they request nothing and use much', pods: [requesting('pod-0', '0')], usage: huge },
    {
      name: 'the requests of missing pods take away all',
      pods: [requesting('pod-0', '100m'), requesting('pod-1', '-100m')],
      usage: huge,
    },
  ])('is an invalid metric where $name', ({ pods, usage }) => {
    const { decision } = decideFor({
      current: pods.length,
      spec: { metrics: [cpu] },
      observation: { pods, metrics: [{ pods: [sample('pod-0', usage)] }] },
    });
    expect(decision).toMatchObject({
      desiredReplicas: pods.length,
      metrics: [{ error: { message: 'no metrics returned matched known pods' } }],
    });
  });

  it('of exactly the target leaves missing pods out', () => {
    const { decision } = decideFor({
      current: 4,
      spec: { metrics: [cpu] },
      observation: { metrics: [{ pods: [sample('pod-0', '60m'), sample('pod-1', '60m')] }] },
    });
    expect(decision).toMatchObject({ desiredReplicas: 4, metrics: [{ proposedReplicas: 4 }] });
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

  it.each([
    { reason: 'the queue\nis long', want: ': "the queue\\nis long"' },
    { reason: 'x'.repeat(500), want: `: "${'x'.repeat(200)}"` },
    { reason: '', want: '' },
    { reason: undefined, want: '' },
  ])('says why it recommends what it does: $want', ({ reason, want }) => {
    const { decision } = decideFor({
      current: 4,
      spec: {
        recommender: {
          url: 'https://advice.example.org/',
          targetType: 'cpu',
          lowWatermark: 1,
          highWatermark: 2,
        },
      },
      observation: { recommendation: { replicas: 6, lowerBound: 5, upperBound: 7, reason } },
    });
    expect(decision.steps[0]).toEqual({
      rule: 'proposal',
      before: 4,
      after: 6,
      because: `6 replicas are recommended, within 5 to 7${want}`,
    });
  });
});
