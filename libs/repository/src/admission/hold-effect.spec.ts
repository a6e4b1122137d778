import { describe, expect, it } from '@jest/globals';
import { type EffectivePolicy, readPolicy } from '#policy';
import { describeCounts, holdEffect } from './hold-effect.ts';

function aPolicy({ name, maxReplicas = 10 }: { readonly name: string; readonly maxReplicas?: number }) {
  const { policy } = readPolicy({
    apiVersion: 'plimsoll.dev/v1alpha1',
    kind: 'AutoscalingPolicy',
    metadata: { name, namespace: 'shop' },
    spec: {
      scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name },
      minReplicas: 1,
      maxReplicas,
    },
  });
  if (policy === undefined) throw new Error('the document cannot be read');
  return policy;
}

describe('the effect of a hold', () => {
  it('has each policy in words and as data, in one order', () => {
    const before = aPolicy({ name: 'checkout', maxReplicas: 20 });
    const after = { ...before, maxReplicas: 5 };
    const gone = aPolicy({ name: 'basket' });
    const coming = aPolicy({ name: 'search' });
    const effect = holdEffect([{ after: coming }, { before, after }, { before: gone }]);
    expect(effect).toMatchObject({ added: 1, changed: 1, removed: 1 });
    expect(effect.policies).toEqual([
      'shop/basket gone',
      'shop/checkout changed: maxReplicas 20 → 5',
      'shop/search new',
    ]);
    expect(effect.changes).toMatchObject([
      { before: { namespace: 'shop', name: 'basket' }, after: null, fields: [] },
      {
        before: { namespace: 'shop', name: 'checkout' },
        after: { maxReplicas: 5 },
        fields: ['maxReplicas 20 → 5'],
      },
      { before: null, after: { name: 'search' }, fields: [] },
    ]);
  });

  it('says of a policy that gets another target what differs from the one that leaves', () => {
    const before = aPolicy({ name: 'checkout', maxReplicas: 20 });
    const target = { ...before.target, name: 'till' };
    const effect = holdEffect([{ after: { ...before, target, maxReplicas: 12 } }, { before }]);
    expect(effect).toMatchObject({ added: 1, changed: 0, removed: 1 });
    expect(effect.policies).toEqual([
      'shop/checkout gone',
      'shop/checkout new: scaleTargetRef.name checkout → till, maxReplicas 20 → 12',
    ]);
  });

  it('keeps of a document no more than says how many replicas it may have, and whose it is', () => {
    const [change] = holdEffect([{ after: aPolicy({ name: 'search' }) }]).changes ?? [];
    const kept: readonly (keyof EffectivePolicy)[] = ['metrics', 'behavior', 'annotations'];
    expect(kept.filter((field) => field in (change?.after ?? {}))).toEqual([]);
  });
});

describe('counts in words', () => {
  it.each([
    { name: 'every kind', given: [1, 3, 1], want: '1 new, 3 changed and 1 gone' },
    { name: 'two kinds', given: [0, 3, 1], want: '3 changed and 1 gone' },
    { name: 'one kind', given: [12, 0, 0], want: '12 new' },
    { name: 'nothing', given: [0, 0, 0], want: 'none' },
  ] as const)('name $name', ({ given: [added, changed, removed], want }) => {
    expect(describeCounts({ added, changed, removed })).toBe(want);
  });
});
