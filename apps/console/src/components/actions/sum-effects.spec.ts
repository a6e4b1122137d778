import { expect, it } from '@jest/globals';
import { effects } from '../../messages/effects.ts';
import { changingFirst, sumEffects } from './sum-effects.ts';

type Effect = Parameters<typeof sumEffects>[0][number];

const then = (replicas: number | null): Effect['then'] => ({ replicas, minReplicas: 1, maxReplicas: 9 });
const falls: Effect = { direction: 'Down', present: 14, then: then(5), later: [] };
const rises: Effect = { direction: 'Up', present: 1, then: then(2), later: [] };
const stays: Effect = {
  ...{ direction: 'None', present: 4, then: then(4) },
  later: ['4 → 2 when the suspension by ann ends, 2026-11-28T00:15:00Z'],
};
const leaves: Effect = { direction: 'None', present: 3, then: null, later: [] };
const unknown: Effect = { direction: 'Unknown', present: null, then: then(null), later: [] };

it('sums up the counts that change at once, and tells the others from those that are not known', () => {
  expect(sumEffects([stays, falls, unknown, rises, leaves])).toEqual({
    present: 15,
    then: 7,
    changing: 2,
    staying: 2,
    unknown: 1,
    later: 1,
  });
  expect(sumEffects([])).toEqual({ present: 0, then: 0, changing: 0, staying: 0, unknown: 0, later: 0 });
});

it('says beside that no count changes at once what changes later', () => {
  expect(effects.atOnce(sumEffects([stays, unknown]))).toBe(
    'No count changes at once, but the count of 1 policy changes later',
  );
  expect(effects.atOnce(sumEffects([leaves]))).toBe('No count changes at once');
  expect(effects.others(sumEffects([stays, rises]))).toBe(
    '1 policy keeps its count; the count of 1 policy changes later',
  );
});

it('puts what changes at once first, and keeps the order otherwise', () => {
  expect(changingFirst([stays, rises, unknown, falls])).toEqual([rises, falls, stays, unknown]);
});
