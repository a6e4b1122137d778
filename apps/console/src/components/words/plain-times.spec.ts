import { describe, expect, it } from '@jest/globals';
import { plainTimes } from './plain-times.ts';

describe('times in a sentence', () => {
  it.each([
    {
      given: 'Override by demo until 2020-11-24T18:10:57.589Z (the sale): at least 5',
      want: 'Override by demo until Tue 24 Nov 2020 18:10:57 UTC (the sale): at least 5',
    },
    { given: 'from 2020-11-24T18:10:57Z on', want: 'from Tue 24 Nov 2020 18:10:57 UTC on' },
    { given: '2026-11-24 and 18:10 are no instants', want: '2026-11-24 and 18:10 are no instants' },
    { given: 'nor is 2026-99-24T18:10:57Z', want: 'nor is 2026-99-24T18:10:57Z' },
  ])('$given', ({ given, want }) => {
    expect(plainTimes(given, 'utc')).toBe(want);
  });
});
