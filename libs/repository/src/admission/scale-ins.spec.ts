import { describe, expect, it } from '@jest/globals';
import { type EffectivePolicy, readPolicy } from '#policy';
import { scaleInsOf } from './scale-ins.ts';

function policy(maxReplicas: number): EffectivePolicy {
  const read = readPolicy({
    apiVersion: 'autoscaling/v2',
    kind: 'HorizontalPodAutoscaler',
    metadata: { name: 'a', namespace: 'shop' },
    spec: { scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'a' }, maxReplicas },
  });
  if (read.policy === undefined) throw new Error('the policy is not valid');
  return read.policy;
}

describe('why a bound takes too much', () => {
  const at = '2026-11-28T02:00:00Z';
  const lowered = `at ${at}, before overrides and commits lowered them`;

  it.each([
    { name: 'half of what runs', present: 12, want: 'is below half of the 12 that run (6)' },
    { name: 'half of an odd count', present: 13, want: 'is below half of the 13 that run (6.5)' },
    { name: 'a count that is not known', want: 'is new or lowered while it is unknown how many run' },
    {
      name: 'half of what ran before steps',
      present: 9,
      earlier: { replicas: 12, at },
      want: `is below half of the 12 (6) that ran ${lowered}`,
    },
    {
      name: 'a count before steps that is not known',
      present: 9,
      earlier: { replicas: null, at },
      want: `is lowered further, and it is unknown how many ran ${lowered}`,
    },
  ])('$name', ({ present, earlier, want }) => {
    const counts = { presentReplicas: () => present, earlierReplicas: () => earlier };
    const found = scaleInsOf({ before: policy(20), after: policy(5) }, counts);
    expect(found.map(({ why }) => why)).toEqual([`shop/a: maxReplicas 5 ${want}`]);
  });

  it.each([
    { from: 20, want: 'shop/a maxReplicas 20 → 5 (12 present)' },
    { from: 5, want: 'shop/a maxReplicas 5 (12 present)' },
  ])('has an arrow only where the bound changes: from $from', ({ from, want }) => {
    const counts = { presentReplicas: () => 12, earlierReplicas: () => undefined };
    const found = scaleInsOf({ before: policy(from), after: policy(5) }, counts);
    expect(found.map(({ item }) => item)).toEqual([want]);
  });
});
