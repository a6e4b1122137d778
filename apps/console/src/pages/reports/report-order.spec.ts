import { describe, expect, it } from '@jest/globals';
import { lastWeek, orderOf } from './report-order.ts';

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
