import { describe, expect, it } from '@jest/globals';
import type { GroupedPods } from './group-pods.ts';
import { type Fill, type RatioOutcome, replicasFromRatio } from './replicas-from-ratio.ts';

interface Given {
  readonly ready: number;
  readonly unready?: number;
  readonly missing?: number;
  readonly superfluous?: number;
  readonly present: number;
  readonly ratio: number;
  /** The ratio with pods filled in. */
  readonly refilled?: number;
}

function names(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `pod-${index}`);
}

function outcome(given: Given): RatioOutcome & { readonly asked: Fill | null } {
  const { ready, unready = 0, missing = 0, superfluous = 0, present, ratio, refilled = Number.NaN } = given;
  let asked: Fill | null = null;
  const groups: GroupedPods = {
    groupOf: [],
    ready: names(ready),
    unready: names(unready),
    missing: names(missing),
    ignored: [],
  };
  const refill = (fill: Fill): number => {
    asked = fill;
    return refilled;
  };
  const result = replicasFromRatio({
    model: { ratio, refill },
    groups,
    counted: ready + superfluous,
    present,
    tolerances: { down: 0.1, up: 0.1 },
  });
  return { ...result, asked };
}

describe('replicasFromRatio', () => {
  it.each<{ name: string; given: Given; want: Partial<ReturnType<typeof outcome>> }>([
    {
      name: 'multiplies with the ready pods where nothing is assumed',
      given: { ready: 1, present: 4, ratio: 2 },
      want: { proposal: 2, kept: null, asked: null },
    },
    {
      name: 'keeps the present count at exactly 1.1',
      given: { ready: 3, present: 3, ratio: 110 / 100 },
      want: { proposal: 3, raw: 4, kept: 'WithinTolerance' },
    },
    {
      name: 'leaves unready pods out while the rest says shrink',
      given: { ready: 3, unready: 2, present: 5, ratio: 0.95, refilled: 0.5 },
      want: { proposal: 5, kept: 'WithinTolerance', asked: null },
    },
    {
      name: 'leaves unready pods out at a ratio of exactly 1',
      given: { ready: 3, unready: 2, present: 5, ratio: 1, refilled: 0.6 },
      want: { proposal: 5, asked: null },
    },
    {
      name: 'counts unready pods as idle while the rest says grow',
      given: { ready: 2, unready: 2, present: 4, ratio: 3, refilled: 1.5 },
      want: { proposal: 6, asked: { missing: 'Out', unready: 'AtZero' } },
    },
    {
      name: 'leaves missing pods out at a ratio of exactly 1',
      given: { ready: 2, missing: 2, present: 4, ratio: 1, refilled: 1 },
      want: { proposal: 4, kept: 'WithinTolerance', asked: { missing: 'Out', unready: 'Out' } },
    },
    {
      name: 'counts missing pods as fully used while the rest says shrink',
      given: { ready: 2, missing: 2, present: 4, ratio: 0.2, refilled: 0.6 },
      want: { proposal: 3, asked: { missing: 'AtTarget', unready: 'Out' } },
    },
    {
      name: 'counts missing pods as idle while the rest says grow',
      given: { ready: 2, missing: 2, unready: 1, present: 5, ratio: 4, refilled: 1.6 },
      want: { proposal: 8, asked: { missing: 'AtZero', unready: 'AtZero' } },
    },
    {
      name: 'never turns round because of what was assumed',
      given: { ready: 2, missing: 2, present: 4, ratio: 1.5, refilled: 0.75 },
      want: { proposal: 4, raw: 3, kept: 'Reverses' },
    },
    {
      name: 'keeps the present count where more pods than it would make a shrinking ratio grow',
      given: { ready: 5, missing: 2, present: 4, ratio: 0.5, refilled: 0.8 },
      want: { proposal: 4, raw: 6, kept: 'Reverses' },
    },
    {
      name: 'keeps the present count where fewer pods than it would make a growing ratio shrink',
      given: { ready: 1, missing: 1, present: 9, ratio: 6, refilled: 3 },
      want: { proposal: 9, raw: 6, kept: 'Reverses' },
    },
    {
      name: 'counts superfluous values among the entries',
      given: { ready: 2, missing: 1, superfluous: 3, present: 4, ratio: 3, refilled: 2 },
      want: { proposal: 12 },
    },
  ])('$name', ({ given, want }) => {
    expect(outcome(given)).toMatchObject(want);
  });
});
