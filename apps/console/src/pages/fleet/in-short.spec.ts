import { expect, it } from '@jest/globals';
import { inShort } from './in-short.ts';

it.each([
  { given: 'decides again: cpu 55 % of request, target 60 %', want: 'cpu 55 % of request, target 60 %' },
  {
    given: 'holds by invalid-metric: invalid metrics (1 invalid out of 1), first error is: failed to get cpu',
    want: 'failed to get cpu',
  },
  { given: 'shop/checkout 4 → 6 cpu 83 % of request', want: '4 → 6 cpu 83 % of request' },
  { given: 'decides again: jobs 30919m of target 20', want: 'jobs 30.9 of target 20' },
  { given: 'scaling in is suspended', want: 'scaling in is suspended' },
])('a row says of "$given" what is its own', ({ given, want }) => {
  expect(inShort(given)).toBe(want);
});
