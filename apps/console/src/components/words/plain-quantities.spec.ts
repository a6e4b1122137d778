import { expect, it } from '@jest/globals';
import { plainQuantities } from './plain-quantities.ts';

it.each([
  { given: 'external jobs 30919m of target 20', want: 'external jobs 30.9 of target 20' },
  { given: '1500m above 1000m', want: '1.5 above 1' },
  { given: '1234567m', want: '1235' },
  { given: 'cpu 480m of 500m', want: 'cpu 480m of 500m' },
  { given: 'after 1000ms, pod web-1000m and rate-2000m', want: 'after 1000ms, pod web-1000m and rate-2000m' },
])('"$given" reads "$want"', ({ given, want }) => {
  expect(plainQuantities(given)).toBe(want);
});
