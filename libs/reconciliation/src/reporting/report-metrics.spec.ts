import { beforeEach, describe, expect, it } from '@jest/globals';
import type { ActivePolicy } from '../policies/active-policy.ts';
import { scaleTargetOf } from '../policies/scale-target.ts';
import type { Reconciler } from '../reconciler.ts';
import { aPolicy } from '../testing/a-policy.ts';
import { queryOf, World } from '../testing/a-world.ts';

const broken = { error: { reason: 'FailedGetExternalMetric', message: 'no such metric' } };
const [queue] = aPolicy().metrics;

let world: World;
let checkout: ActivePolicy;
let reconciler: Reconciler;

beforeEach(async () => {
  world = new World();
  checkout = world.add({ metrics: queue === undefined ? [] : [queue, queue] }, 4);
  reconciler = await world.start();
});

function answer(...metrics: readonly object[]): void {
  world.metrics.set(queryOf(checkout.policy), { kind: 'Answers', metrics: [...metrics] });
}

const told = (): string[] =>
  world.kubernetesEvents.emitted.map(({ type, reason, message }) => `${type} ${reason} ${message}`);
const because =
  'invalid metrics (1 invalid out of 2), first error is: queue: no such metric; nothing shrinks on ignorance, so 4 replicas stay';

describe('invalid metrics', () => {
  it('are told once where they keep the count, with what upstream adds', async () => {
    answer(broken, { values: ['2'] });
    await world.pass(reconciler);
    await world.pass(reconciler);
    expect(told()).toEqual([
      `Warning FailedGetExternalMetric holds by invalid-metric: ${because}`,
      'Warning FailedComputeMetricsReplicas invalid metrics (1 invalid out of 2), first error is: queue: no such metric',
    ]);
  });

  it('are told in each pass where another metric carries it, and logged once', async () => {
    answer(broken, { values: ['4'] });
    await world.pass(reconciler);
    await world.pass(reconciler);
    const event = 'Warning FailedGetExternalMetric queue: no such metric';
    expect(told()).toEqual([event, event]);
    expect(world.log.lines).toMatchObject([
      {
        level: 'info',
        text: 'shop/checkout  queue: no such metric; the other metrics want no fewer replicas, so the pass goes on',
        fields: { policy: 'shop/checkout', reason: 'FailedGetExternalMetric' },
      },
    ]);
    answer({ values: ['4'] }, { values: ['4'] });
    await world.pass(reconciler);
    answer(broken, { values: ['4'] });
    await world.pass(reconciler);
    expect(told()).toHaveLength(3);
    expect(world.log.lines).toHaveLength(2);
  });
});

describe('a selector', () => {
  it('that is empty has the Event of its own, and the reason of the condition', async () => {
    world.scale.set(scaleTargetOf(checkout.policy), 4, { selector: '' });
    await world.pass(reconciler);
    expect(told()).toEqual([expect.stringContaining('Warning SelectorRequired ')]);
    expect(world.reports.outcomesOf('shop/checkout').at(-1)).toBe('Stalled/InvalidSelector');
  });
});

describe('a policy of the watermark family', () => {
  it('has the Events of the Watermark Pod Autoscaler', async () => {
    const web = world.add({ name: 'web', family: 'watermark', metrics: [watermark] }, 4);
    const seen = (value: string): void =>
      world.metrics.set(queryOf(web.policy), { kind: 'Answers', metrics: [{ values: [value] }] });
    world.pods.set(queryOf(web.policy), [ready('web-1'), ready('web-2'), ready('web-3'), ready('web-4')]);
    seen('30');
    await world.pass(reconciler);
    seen('15');
    await world.pass(reconciler);
    await world.pass(reconciler);
    seen('60');
    world.scale.faults.push({
      kind: 'Fails',
      failure: { code: 'Forbidden', message: 'scale is forbidden', retryable: false },
    });
    await world.pass(reconciler, 600_000);
    const reasons = world.kubernetesEvents.emitted
      .filter(({ subject }) => subject.name === 'web')
      .map(({ type, reason }) => `${type} ${reason}`);
    expect(reasons).toEqual([
      'Normal Scaling',
      'Normal NotScaling',
      'Warning FailedScale',
      'Warning WriteRefused',
    ]);
  });
});

const watermark = {
  type: 'External',
  metric: { name: 'queue' },
  target: {
    type: 'Watermark',
    lowMilli: 10_000n,
    highMilli: 20_000n,
    algorithm: 'absolute',
    toleranceMilli: 0,
  },
  targetDocument: { type: 'Watermark', lowWatermark: '10', highWatermark: '20' },
} as const;

function ready(name: string) {
  const status = { status: 'True', lastTransitionTime: '2026-11-20T11:00:00Z' };
  return { name, phase: 'Running', startTime: '2026-11-20T11:00:00Z', ready: status };
}
