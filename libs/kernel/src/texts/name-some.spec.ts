import { describe, expect, it } from '@jest/globals';
import { nameSome } from './name-some.ts';

describe('nameSome', () => {
  it.each([
    { names: [], want: '' },
    { names: ['a', 'b'], want: 'a, b' },
    { names: ['a', 'b', 'c', 'd', 'e'], want: 'a, b and 3 more' },
  ])('names $names as "$want"', ({ names, want }) => {
    expect(nameSome(names, 2)).toBe(want);
  });
});
