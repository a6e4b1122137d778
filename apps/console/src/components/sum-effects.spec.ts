import { expect, it } from '@jest/globals';
import { changingFirst, sumEffects } from './sum-effects.ts';

type Effect = Parameters<typeof sumEffects>[0][number];

const then = (replicas: number | null): Effect['then'] => ({ replicas, minReplicas: 1, maxReplicas: 9 });
const falls: Effect = { direction: 'Down', present: 14, then: then(5) };
const rises: Effect = { direction: 'Up', present: 1, then: then(2) };
const stays: Effect = { direction: 'None', present: 4, then: then(4) };
const leaves: Effect = { direction: 'None', present: 3, then: null };
const unknown: Effect = { direction: 'Unknown', present: null, then: then(null) };

it('sums up the counts that change at once, and tells the others from those that are not known', () => {
  expect(sumEffects([stays, falls, unknown, rises, leaves])).toEqual({
    present: 15,
    then: 7,
    changing: 2,
    staying: 2,
    unknown: 1,
  });
  expect(sumEffects([])).toEqual({ present: 0, then: 0, changing: 0, staying: 0, unknown: 0 });
});

it('puts what changes at once first, and keeps the order otherwise', () => {
  expect(changingFirst([stays, rises, unknown, falls])).toEqual([rises, falls, stays, unknown]);
});
