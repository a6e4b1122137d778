import { describe, expect, it } from '@jest/globals';
import { retryDelayMilliseconds } from './retry-delay.ts';

describe('retryDelayMilliseconds', () => {
  const now = Date.parse('2026-11-20T12:00:00Z');

  it.each([
    { name: 'seconds', header: '7', want: 7_000 },
    { name: 'a date', header: 'Fri, 20 Nov 2026 12:00:05 GMT', want: 5_000 },
    { name: 'a date that is past', header: 'Fri, 20 Nov 2026 11:00:00 GMT', want: 0 },
    { name: 'no header', header: undefined, want: 1_000 },
    { name: 'nonsense', header: 'soon', want: 1_000 },
    { name: 'an hour, cut to a minute', header: '3600', want: 60_000 },
  ])('reads $name', ({ header, want }) => {
    expect(retryDelayMilliseconds(header, { now, random: 0 })).toBe(want);
  });

  it('adds up to a tenth', () => {
    expect(retryDelayMilliseconds('10', { now, random: 0.5 })).toBe(10_500);
  });
});
