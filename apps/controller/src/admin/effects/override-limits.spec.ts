import { describe, expect, it } from '@jest/globals';
import type { EarlierReplicas } from '#ledger';
import { anActivePolicy } from '#reconciliation/testing';
import { describeLowCount, lowCountOf, type OverriddenCounts } from './override-limits.ts';

describe('how low an override lets the target fall', () => {
  const active = anActivePolicy({ minReplicas: 4, maxReplicas: 10 });
  const ten = { replicas: 10, at: '2026-11-22T21:14:00Z' };
  const own = { minReplicas: 4, maxReplicas: 10 };
  const raised = { minReplicas: 20, maxReplicas: 40 };
  const lowered = { minReplicas: 1, maxReplicas: 3 };
  const rows: readonly {
    readonly name: string;
    readonly counts: OverriddenCounts;
    readonly inForce?: typeof own;
    readonly present: number | null;
    readonly earlier?: EarlierReplicas;
    readonly low: number | null;
  }[] = [
    { name: 'a pin of half', counts: { replicas: 5 }, present: 10, low: null },
    { name: 'a pin below half', counts: { replicas: 4 }, present: 10, low: 4 },
    { name: 'a pin where the count is not known', counts: { replicas: 9 }, present: null, low: 9 },
    { name: 'a maximum of half', counts: { maxReplicas: 5 }, present: 10, low: null },
    { name: 'a maximum below half', counts: { maxReplicas: 4 }, present: 10, low: 4 },
    { name: 'a lower minimum', counts: { minReplicas: 1 }, present: 10, low: 1 },
    { name: 'a minimum that is higher', counts: { minReplicas: 6 }, present: 20, low: null },
    {
      name: 'a lower minimum beside a slightly lower maximum',
      counts: { minReplicas: 1, maxReplicas: 9 },
      present: 10,
      low: 1,
    },
    {
      name: 'a lower minimum beside a pin, which may end before it',
      counts: { minReplicas: 1, replicas: 9 },
      present: 10,
      low: 1,
    },
    {
      name: "the document's maximum where a window has raised it",
      counts: { maxReplicas: 10 },
      inForce: raised,
      present: 40,
      low: 10,
    },
    {
      name: "the document's minimum where a window has raised it",
      counts: { minReplicas: 4 },
      inForce: raised,
      present: 20,
      low: 4,
    },
    {
      name: 'less than the document says where a window has lowered it for now',
      counts: { minReplicas: 2 },
      inForce: lowered,
      present: 10,
      low: 2,
    },
    {
      name: 'a step of half of what ran before',
      counts: { replicas: 5 },
      present: 6,
      earlier: ten,
      low: null,
    },
    {
      name: 'a step below half of what ran before',
      counts: { replicas: 4 },
      present: 6,
      earlier: ten,
      low: 4,
    },
    { name: 'a pin that stays', counts: { replicas: 4 }, present: 4, earlier: ten, low: null },
    { name: 'a pin that is higher', counts: { replicas: 4 }, present: 3, earlier: ten, low: null },
    {
      name: 'a step where what ran before is not known',
      counts: { replicas: 5 },
      present: 6,
      earlier: { ...ten, replicas: null },
      low: 5,
    },
  ];
  it.each(rows)('is $low with $name', ({ counts, inForce = own, present, earlier = null, low }) => {
    expect(lowCountOf(active, counts, { inForce, present, earlier })?.count ?? null).toBe(low);
  });

  const at = '2026-11-22T21:14:00Z';
  it.each([
    { low: { count: 2, before: 10, at }, want: '10 replicas at 2026-11-22T21:14:00Z → 2 is below half' },
    { low: { count: 2, before: 10, at: null }, want: '10 replicas now → 2 is below half' },
    {
      low: { count: 2, before: null, at: null },
      want: '2 may be below half of the present count, which is not known',
    },
    {
      low: { count: 2, before: null, at },
      want: '2 may be below half of what ran since 2026-11-22T21:14:00Z: more was recorded than is read',
    },
  ])('is told as "$want"', ({ low, want }) => {
    expect(describeLowCount(low)).toBe(want);
  });
});
