import { describe, expect, it } from '@jest/globals';
import type { Intervention, MetricReport } from '#decision';
import { aDecision, aDecisionMetric } from '../testing/a-decision.ts';
import { anActivePolicy } from '../testing/a-policy.ts';
import { describeCause, describeScaling, writtenReason } from './describe-scaling.ts';

const cause = { origin: anActivePolicy().origin, override: null, restored: null };

describe('describeScaling', () => {
  it('says who, from where to where, why and which commit', () => {
    expect(describeScaling(aDecision(), cause)).toBe(
      'shop/checkout 4 → 6  cpu 83 % of request, target 60 %  (a1b2c3d Add checkout policy)',
    );
  });

  it('says whose override it is, until when and why, in the place of a commit that has not made the count', () => {
    const override = {
      kind: 'Override',
      replicas: 6,
      actor: 'ann',
      reason: 'incident 7',
      expires: '2026-11-20T13:00:00Z',
    } as const;
    expect(describeScaling(aDecision(), { ...cause, override })).toBe(
      'shop/checkout 4 → 6  Override by ann until 2026-11-20T13:00:00Z (incident 7)',
    );
    expect(describeScaling(aDecision(), { ...cause, override, restored: 3 })).toBe(
      'shop/checkout 4 → 3  the policy was disabled: its replicas are restored  (a1b2c3d Add checkout policy)',
    );
  });
});

describe('writtenReason', () => {
  const time = '2026-11-20T12:00:00Z';
  const pin = { kind: 'Override', replicas: 40, expires: '2026-11-20T13:00:00Z' } as const;
  const ann = { ...pin, actor: 'ann', reason: 'incident 7', since: '2026-11-20T11:00:00Z' } as const;
  const cases: readonly {
    readonly name: string;
    readonly reason?: string;
    readonly interventions: readonly Intervention[];
    readonly want: string;
  }[] = [
    {
      name: 'who overrode the count, and why',
      interventions: [
        { ...ann, actor: 'ben', since: '2026-11-20T10:00:00Z' },
        ann,
        { ...ann, actor: 'eve', since: '2026-11-20T11:30:00Z', expires: time },
        { ...ann, kind: 'Suspend', direction: 'Up' },
      ],
      want: 'Override by ann: incident 7',
    },
    { name: 'that nobody is named', interventions: [pin], want: 'Override by nobody named: no reason given' },
    { name: 'its own reason where no pin is known', interventions: [], want: 'Override' },
    { name: 'the reason of any other decision', reason: 'Above', interventions: [ann], want: 'Above' },
  ];
  it.each(cases)('says $name', ({ reason = 'Override', interventions, want }) => {
    expect(writtenReason(aDecision({ reason, time }), interventions)).toBe(want);
  });

  const below = 'Current number of replicas below Spec.MinReplicas';
  const floor = { ...ann, replicas: null, minReplicas: 9 };
  const correction = { rule: 'min-max-correction', before: 6, after: 9, because: 'fewer than 9' } as const;
  it.each([
    {
      name: 'who raised the minimum that the count was corrected to',
      interventions: [floor, { ...floor, actor: 'ben', minReplicas: 4 }],
      want: 'Override by ann: incident 7',
    },
    {
      name: 'who lowered the maximum that the count was corrected to',
      interventions: [{ ...floor, minReplicas: null, maxReplicas: 9 }],
      want: 'Override by ann: incident 7',
    },
    {
      name: 'who set the bound last, of several',
      interventions: [{ ...floor, actor: 'ben', since: '2026-11-20T10:00:00Z' }, floor],
      want: 'Override by ann: incident 7',
    },
    {
      name: 'the reason where it is another bound',
      interventions: [{ ...floor, minReplicas: 8 }],
      want: below,
    },
    {
      name: 'the reason where the override has expired',
      interventions: [{ ...floor, expires: time }],
      want: below,
    },
    { name: 'the reason where metrics made the count', steps: [], interventions: [floor], want: below },
  ])('says $name', ({ steps = [correction], interventions, want }) => {
    const decision = aDecision({ reason: below, time, steps, desiredReplicas: 9 });
    expect(writtenReason(decision, interventions)).toBe(want);
  });
});

describe('describeCause', () => {
  it('tells a recommendation in the words of its step, with its count and reason', () => {
    const metric = aDecisionMetric({
      type: 'Recommender',
      name: 'recommender{targetType:cpu}',
      current: { value: '0' },
      target: { type: 'Watermark', lowWatermark: '500m', highWatermark: '900m' },
    });
    const because = '6 replicas are recommended, within 0 to 0: "the queue is long"';
    const steps = [{ rule: 'proposal', before: 4, after: 6, because }] as const;
    expect(describeCause(aDecision({ metrics: [metric], steps }))).toBe(
      `recommender{targetType:cpu}: ${because}`,
    );
  });

  const watermark = { type: 'Watermark', lowWatermark: '150m', highWatermark: '400m' };
  it.each([
    {
      name: 'a container resource',
      metric: aDecisionMetric({
        type: 'ContainerResource',
        name: 'application/memory',
        current: { averageUtilization: 91 },
      }),
      want: 'memory of application 91 % of request, target 60 %',
    },
    {
      name: 'an average value',
      metric: aDecisionMetric({
        type: 'Pods',
        name: 'qps',
        current: { averageValue: '12' },
        target: { type: 'AverageValue', averageValue: '10' },
      }),
      want: 'qps 12 per pod, target 10',
    },
    {
      name: 'a value',
      metric: aDecisionMetric({
        type: 'External',
        name: 'queue',
        current: { value: '9500m' },
        target: { type: 'Value', value: '4' },
      }),
      want: 'queue 9500m, target 4',
    },
    {
      name: 'watermarks',
      metric: aDecisionMetric({
        type: 'External',
        name: 'latency',
        current: { value: '420m' },
        target: watermark,
      }),
      want: 'latency 420m, watermarks 150m to 400m',
    },
    {
      name: 'one watermark',
      metric: aDecisionMetric({
        type: 'External',
        name: 'latency',
        current: { averageValue: '420m' },
        target: { type: 'Watermark', highWatermark: '400m' },
      }),
      want: 'latency 420m, watermark 400m',
    },
  ])('tells $name', ({ metric, want }) => {
    expect(describeCause(aDecision({ metrics: [metric] }))).toBe(want);
  });

  const pods = (counts: Readonly<Record<string, number>>): MetricReport['pods'] => {
    const names = (group: string): string[] => Array.from({ length: counts[group] ?? 0 }, (_, n) => `p-${n}`);
    return {
      considered: [],
      ready: names('ready'),
      unready: names('unready'),
      missing: names('missing'),
      ignored: names('ignored'),
      filteredOut: [],
    };
  };

  it.each([
    { name: 'nothing where every replica is a counted pod', counts: { ready: 4 }, to: 6, want: '' },
    { name: 'nothing of a metric that looks at no pods', counts: {}, to: 6, want: '' },
    {
      name: 'more pods than replicas, which grow below the target',
      counts: { ready: 7 },
      to: 6,
      want: ' (7 pods counted for 4 replicas)',
    },
    {
      name: 'missing and unready pods of one that grows',
      counts: { ready: 1, missing: 2, unready: 1 },
      to: 6,
      want: ' (1 pod counted for 4 replicas, 2 without a sample taken as idle, 1 not ready taken as idle)',
    },
    {
      name: 'missing and unready pods of one that shrinks',
      counts: { ready: 2, missing: 1, unready: 1 },
      to: 3,
      want: ' (2 pods counted for 4 replicas, 1 without a sample taken as fully used, 1 not ready left out)',
    },
    {
      name: 'missing and ignored pods of one that stays',
      counts: { ready: 2, missing: 1, ignored: 1 },
      to: 4,
      want: ' (2 pods counted for 4 replicas, 1 without a sample, 1 ignored)',
    },
  ])('tells $name', ({ counts, to, want }) => {
    const metric = aDecisionMetric({
      current: { averageUtilization: 50 },
      proposedReplicas: to,
      pods: pods(counts),
    });
    const cause = describeCause(aDecision({ desiredReplicas: to, metrics: [metric] }));
    expect(cause).toBe(`cpu 50 % of request, target 60 %${want}`);
  });

  it('tells the metric that won', () => {
    const low = aDecisionMetric({ name: 'memory', proposedReplicas: 2 });
    const invalid = aDecisionMetric({ name: 'disk', proposedReplicas: null });
    expect(describeCause(aDecision({ metrics: [invalid, low, aDecisionMetric()] }))).toMatch(/^cpu 83 %/);
  });

  it('tells the rule that made another count of the proposal', () => {
    const steps = [
      { rule: 'proposal', before: 4, after: 12, because: 'ratio 3' },
      { rule: 'legacy-limit', before: 12, after: 8, because: 'at most twice the count' },
      { rule: 'min-max', before: 8, after: 8, because: 'within 1 and 10' },
    ] as const;
    const metrics = [aDecisionMetric({ proposedReplicas: 12 })];
    expect(describeCause(aDecision({ desiredReplicas: 8, metrics, steps }))).toBe(
      'cpu 83 % of request, target 60 %, asks for 12, legacy-limit makes it 8',
    );
  });

  it('names every rule that acted, not only the last', () => {
    const steps = [
      { rule: 'proposal', before: 14, after: 1, because: 'ratio 0.1' },
      { rule: 'stabilization', before: 1, after: 16, because: '16 was recommended 60 s ago' },
      { rule: 'min-max', before: 16, after: 12, because: 'maxReplicas 12' },
    ] as const;
    const metrics = [aDecisionMetric({ proposedReplicas: 1 })];
    expect(describeCause(aDecision({ desiredReplicas: 12, metrics, steps }))).toBe(
      'cpu 83 % of request, target 60 %, asks for 1, stabilization makes it 16, min-max makes it 12',
    );
  });

  it("falls back on the decision's reason where no metric was evaluated", () => {
    const reason = 'Current number of replicas above Spec.MaxReplicas';
    expect(describeCause(aDecision({ metrics: [], reason }))).toBe(reason);
  });
});
