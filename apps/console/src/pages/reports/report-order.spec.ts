import { describe, expect, it } from '@jest/globals';
import { daysOf, lastWeek, orderOf } from './report-order.ts';

const usual = lastWeek(Date.parse('2027-03-08T12:00:00Z'));

describe('what a report is asked for with', () => {
  it.each([
    {
      name: 'the last seven days, of everything',
      given: usual,
      want: { from: '2027-03-01', until: '2027-03-08', timeZone: 'UTC', teamLabel: 'team', format: 'html' },
    },
    {
      name: 'lists, a price, and no end',
      given: {
        ...usual,
        until: '',
        namespaces: 'shop, team-*\nbooks',
        policies: ' shop/web ',
        teams: ',',
        price: ' 0.045 ',
        currency: 'eur',
      },
      want: {
        from: '2027-03-01',
        timeZone: 'UTC',
        teamLabel: 'team',
        format: 'html',
        namespaces: ['shop', 'team-*', 'books'],
        policies: ['shop/web'],
        price: { perReplicaHour: '0.045', currency: 'EUR' },
      },
    },
  ])('$name', ({ given, want }) => {
    expect(orderOf(given)).toEqual(want);
  });
});

describe('the days of a period', () => {
  // In Auckland it is the first of March already.
  const now = Date.parse('2028-02-29T12:00:00Z');
  it.each([
    { period: 'lastWeek', timeZone: 'UTC', want: { from: '2028-02-22', until: '2028-02-29' } },
    { period: 'thisMonth', timeZone: 'UTC', want: { from: '2028-02-01', until: '' } },
    { period: 'thisMonth', timeZone: 'Pacific/Auckland', want: { from: '2028-03-01', until: '' } },
    { period: 'lastMonth', timeZone: 'Pacific/Auckland', want: { from: '2028-02-01', until: '2028-03-01' } },
    { period: 'lastMonth', timeZone: 'Mars/Olympus', want: { from: '2028-01-01', until: '2028-02-01' } },
    { period: 'untilNow', timeZone: 'UTC', want: { from: '2028-02-29', until: '' } },
  ] as const)('$period in $timeZone', ({ period, timeZone, want }) => {
    expect(daysOf(period, now, timeZone)).toEqual(want);
  });
});
