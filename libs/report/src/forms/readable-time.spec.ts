import { describe, expect, it } from '@jest/globals';
import { readableDay, readableTime, recordedTimeHtml, timeHtml } from './readable-time.ts';

const at = Date.parse;

describe('a time for people', () => {
  it.each([
    { time: at('2027-03-01T00:00:00Z'), zone: 'UTC', want: 'Mon 1 Mar 2027 00:00 UTC' },
    { time: at('2027-03-01T23:30:07.9Z'), zone: 'Europe/Berlin', want: 'Tue 2 Mar 2027 00:30:07 +01:00' },
    // The clocks go back: the hour is there twice.
    { time: at('2027-10-31T00:30:00Z'), zone: 'Europe/Berlin', want: 'Sun 31 Oct 2027 02:30 +02:00' },
    { time: at('2027-10-31T01:30:00Z'), zone: 'Europe/Berlin', want: 'Sun 31 Oct 2027 02:30 +01:00' },
  ])('is $want', ({ time, zone, want }) => {
    expect(readableTime(time, zone)).toBe(want);
    expect(want.startsWith(readableDay(time, zone))).toBe(true);
  });

  it('is for programs in its attribute', () => {
    expect(timeHtml(at('2027-03-01T00:00:00Z'), 'Europe/Berlin')).toBe(
      '<time datetime="2027-03-01T01:00:00+01:00">Mon 1 Mar 2027 01:00 +01:00</time>',
    );
    expect(recordedTimeHtml('<soon>', 'UTC')).toBe('&lt;soon&gt;');
  });
});
