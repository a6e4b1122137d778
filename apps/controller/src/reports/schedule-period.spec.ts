import { describe, expect, it } from '@jest/globals';
import { SchedulePeriods } from './schedule-period.ts';

const weekly = { cron: '0 0 * * 1', timeZone: 'Europe/Berlin' };

describe('the periods of a schedule', () => {
  it.each([
    {
      name: 'the week before',
      given: weekly,
      now: '2027-03-10T12:00:00Z',
      want: { from: '2027-02-28T23:00:00.000Z', until: '2027-03-07T23:00:00.000Z' },
    },
    {
      name: 'the week that has ended at this moment',
      given: weekly,
      now: '2027-03-07T23:00:00Z',
      want: { from: '2027-02-28T23:00:00.000Z', until: '2027-03-07T23:00:00.000Z' },
    },
    {
      name: 'not the week that ends in half a second',
      given: weekly,
      now: '2027-03-07T22:59:59.500Z',
      want: { from: '2027-02-21T23:00:00.000Z', until: '2027-02-28T23:00:00.000Z' },
    },
    {
      name: 'a week that is an hour short',
      given: weekly,
      now: '2027-03-29T12:00:00Z',
      want: { from: '2027-03-21T23:00:00.000Z', until: '2027-03-28T22:00:00.000Z' },
    },
    {
      name: 'a month',
      given: { cron: '0 6 1 * *', timeZone: 'UTC' },
      now: '2027-03-01T06:00:00Z',
      want: { from: '2027-02-01T06:00:00.000Z', until: '2027-03-01T06:00:00.000Z' },
    },
  ])('have $name', ({ given, now, want }) => {
    const period = new SchedulePeriods(given).lastEnded(Date.parse(now));
    const iso = (time: number | undefined) => new Date(time ?? 0).toISOString();
    expect({ from: iso(period?.from), until: iso(period?.until) }).toEqual(want);
  });

  it('end next when the cron fires next', () => {
    const next = new SchedulePeriods(weekly).nextEnd(Date.parse('2027-03-10T12:00:00Z'));
    expect(new Date(next ?? 0).toISOString()).toBe('2027-03-14T23:00:00.000Z');
  });
});
