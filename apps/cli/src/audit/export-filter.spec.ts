import { expect, it } from '@jest/globals';
import { parseFilter } from './export-filter.ts';

it('takes how long ago a period begins and ends, both as of one moment', () => {
  const { from, until } = parseFilter({ from: '2d', until: '1d' });
  expect(Date.parse(until ?? '') - Date.parse(from ?? '')).toBe(86_400_000);
});

it.each([
  { given: { until: '12 h' }, want: '--until is "12 h"; it wants RFC 3339 with its zone, or how long ago' },
  {
    given: { from: '1969-12-31T23:59:59Z' },
    want: '--from is "1969-12-31T23:59:59Z"; it wants a time of the years 1970 to 2261',
  },
  { given: { from: '1d', until: '2d' }, want: '--from 1d is not before --until 2d: the period is empty' },
])('names the option: $want', ({ given, want }) => {
  expect(() => parseFilter(given)).toThrow(want);
});
