import { describe, expect, it } from '@jest/globals';
import { numberRanges } from './number-ranges.ts';

describe('numberRanges', () => {
  it.each([
    { given: [], want: '' },
    { given: [4], want: '4' },
    { given: [3, 0, 1, 2], want: '0–3' },
    { given: [0, 1, 4, 6, 7], want: '0–1, 4, 6–7' },
  ])('makes $want of $given', ({ given, want }) => {
    expect(numberRanges(given)).toBe(want);
  });
});
