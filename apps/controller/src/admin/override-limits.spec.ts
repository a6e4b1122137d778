import { describe, expect, it } from '@jest/globals';
import { anActivePolicy } from '#reconciliation/testing';
import { lowCountOf, type OverriddenCounts } from './override-limits.ts';

describe('how low an override lets the target fall', () => {
  const active = anActivePolicy({ minReplicas: 4, maxReplicas: 10 });
  const own = { minReplicas: 4, maxReplicas: 10 };
  const raised = { minReplicas: 20, maxReplicas: 40 };
  const lowered = { minReplicas: 1, maxReplicas: 3 };
  const rows: readonly {
    readonly name: string;
    readonly counts: OverriddenCounts;
    readonly inForce?: typeof own;
    readonly present: number | null;
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
  ];
  it.each(rows)('is $low with $name', ({ counts, inForce = own, present, low }) => {
    expect(lowCountOf(active, counts, { inForce, present })).toBe(low);
  });
});
