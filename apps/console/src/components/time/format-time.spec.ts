import { describe, expect, it } from '@jest/globals';
import { formatTime, fullTime } from './format-time.ts';

describe('a moment', () => {
  const time = '2026-11-22T03:12:07.268Z';

  it.each([
    { now: '2026-12-24T00:00:00Z', want: 'Sun 22 Nov 03:12:07 UTC' },
    { now: '2027-03-01T00:00:00Z', want: 'Sun 22 Nov 2026 03:12:07 UTC' },
  ])('in words is $want at $now', ({ now, want }) => {
    expect(fullTime(new Date(time), 'utc', new Date(now))).toBe(want);
  });

  it.each([
    { form: 'exact', want: '2026-11-22 03:12:07 UTC' },
    { form: 'day', want: '22 Nov 03:12' },
    { form: 'time', want: '03:12:07' },
  ] as const)('as $form is $want', ({ form, want }) => {
    expect(formatTime(time, 'utc', form)).toBe(want);
  });

  it('stays as it is where it is none', () => {
    expect(formatTime('yesterday', 'utc')).toBe('yesterday');
  });
});
