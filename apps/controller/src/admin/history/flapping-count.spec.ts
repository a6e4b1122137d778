import { describe, expect, it } from '@jest/globals';
import type { EntryOf } from '#ledger';
import { anEventDraft } from '../../../../../test/support/ledger-builders.ts';
import { FlappingCount } from './flapping-count.ts';

const checkout = { namespace: 'shop', name: 'checkout' };

function counted(...changes: readonly (readonly [from: number, to: number])[]) {
  const count = new FlappingCount();
  for (const [from, to] of changes)
    count.add(anEventDraft({ policy: checkout, from, to }) as EntryOf<'ScalingEvent'>);
  return count;
}

describe('how often a count went the other way', () => {
  it.each([
    { name: 'a climb', changes: [[1, 2], [2, 3]], reversals: 0 }, // prettier-ignore
    { name: 'up, down and up', changes: [[2, 4], [4, 3], [3, 9]], reversals: 2 }, // prettier-ignore
    { name: 'a pause between two ways', changes: [[2, 4], [4, 4], [4, 2]], reversals: 1 }, // prettier-ignore
  ] as const)('counts $name, against the order, too', ({ changes, reversals }) => {
    const counts = changes.flat();
    const want = {
      policy: checkout,
      reversals,
      changes: changes.length,
      lowest: Math.min(...counts),
      highest: Math.max(...counts),
    };
    expect(counted(...changes).list(0)).toEqual([want]);
    expect(counted(...changes.toReversed()).list(0)).toEqual([want]);
    expect(counted(...changes).list(reversals + 1)).toEqual([]);
  });
});
