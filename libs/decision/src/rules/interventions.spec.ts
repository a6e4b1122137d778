import { describe, expect, it } from '@jest/globals';
import { ago, decideFor, marked, queue } from '../testing/decide-for.ts';

const expires = ago(-600);

describe('a pin', () => {
  const pin = (replicas: number, since?: string): object => ({ kind: 'Override', replicas, since, expires });

  it.each<{ name: string; pins: readonly object[]; to: number }>([
    {
      name: 'is the one that was set last',
      pins: [pin(9, ago(50)), pin(3, ago(40)), pin(8, ago(60))],
      to: 3,
    },
    { name: 'is the larger of two that were set at once', pins: [pin(3, ago(50)), pin(9, ago(50))], to: 9 },
    { name: 'is the larger of two, whichever comes first', pins: [pin(9, ago(50)), pin(3, ago(50))], to: 9 },
    { name: 'counts without time as the earliest', pins: [pin(9), pin(3, ago(50))], to: 3 },
    { name: 'is the larger of two without time', pins: [pin(3), pin(9)], to: 9 },
    { name: 'acts although its time has not come', pins: [pin(7, ago(-60))], to: 7 },
  ])('$name', ({ pins, to }) => {
    const { decision } = decideFor({
      spec: { metrics: [queue] },
      observation: { interventions: pins, metrics: [{ values: ['4'] }] },
    });
    expect(decision.desiredReplicas).toBe(to);
  });

  it('names those that it overrules in its step', () => {
    const { decision } = decideFor({
      spec: { metrics: [queue] },
      observation: {
        interventions: [
          { ...pin(9, ago(50)), actor: 'ada', reason: 'sale' },
          { ...pin(3, ago(40)), actor: 'bob', reason: 'calm' },
          { ...pin(8), actor: 'eve', expires: ago(1) },
        ],
        metrics: [{ values: ['4'] }],
      },
    });
    const steps = decision.steps.filter(({ rule }) => rule === 'override');
    expect(steps.map(({ because }) => because)).toEqual([
      `Override by eve until ${ago(1)} (no reason given) has expired`,
      `Override by bob until ${expires} (calm): 3 replicas; it overrules Override by ada until ${expires} (sale): 9`,
    ]);
  });

  it('is kept within the bounds, also where it equals a present count outside them', () => {
    const { decision } = decideFor({
      current: 50,
      spec: {
        metrics: [queue],
        maxReplicas: 40,
        lifecycle: {
          blockedBy: { apiVersion: 'v1', kind: 'ConfigMap', name: 'brake', jsonPath: '{.data.on}' },
        },
      },
      observation: { interventions: [pin(50)] },
    });
    expect(decision).toMatchObject({ desiredReplicas: 40, action: 'ScaleDown', reason: 'Override' });
    expect(decision.steps.map(({ rule }) => rule)).toEqual(['lifecycle', 'override', 'min-max']);
  });
});

describe('bounds of several sources', () => {
  it('cross only as they are in force: an override frees the minimum that a schedule set above the policy’s maximum', () => {
    const { decision } = decideFor({
      current: 20,
      spec: { metrics: [queue], maxReplicas: 12 },
      observation: {
        metrics: [{ values: ['1'] }],
        windows: [{ kind: 'Schedule', name: 'day', minReplicas: 14 }],
        interventions: [{ kind: 'Override', maxReplicas: 30, expires }],
      },
      memory: { recommendations: [] },
    });
    expect(decision.desiredReplicas).toBe(14);
  });

  it('do not correct a count at the maximum that the minimum gave way to', () => {
    const { decision } = decideFor({
      current: 12,
      spec: { metrics: [queue], maxReplicas: 12 },
      observation: {
        metrics: [{ values: ['12'] }],
        windows: [{ kind: 'Schedule', name: 'day', minReplicas: 14 }],
      },
    });
    expect(decision.metrics).toHaveLength(1);
    expect(decision.action).toBe('None');
  });

  it.each([
    { minReplicas: 6, want: 6 },
    { minReplicas: 0, want: 1 },
  ])('of a watermark policy end at one: a minimum of $minReplicas is $want', ({ minReplicas, want }) => {
    const { decision } = decideFor({
      current: minReplicas === 0 ? 2 : 4,
      spec: {
        metrics: [marked],
        behavior: { scaleDown: { limitPercent: 99, stabilizationWindowSeconds: 0 } },
      },
      observation: {
        metrics: [{ values: ['0.001'] }],
        windows: [{ kind: 'Schedule', name: 'day', minReplicas }],
      },
    });
    expect(decision.desiredReplicas).toBe(want);
  });

  it('let the minimum give way where they cross', () => {
    const { decision } = decideFor({
      current: 20,
      spec: { metrics: [queue], maxReplicas: 12 },
      observation: { windows: [{ kind: 'Schedule', name: 'day', minReplicas: 14 }] },
    });
    expect(decision.desiredReplicas).toBe(12);
    expect(decision.steps[0]?.because).toContain('the minimum of 14 gave way to the maximum of 12');
  });
});
