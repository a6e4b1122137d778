import { describe, expect, it } from '@jest/globals';
import { bucketsOf, localText, parsePeriod, type PeriodRequest } from './period.ts';

const march: PeriodRequest = { from: '2027-03-27', until: '2027-03-30', timeZone: 'Europe/Berlin' };

function periodOf(given: Partial<PeriodRequest> = {}): ReturnType<typeof parsePeriod> {
  return parsePeriod({ ...march, ...given });
}

function bucketTexts(given: Partial<PeriodRequest>): readonly string[] {
  const parsed = periodOf(given);
  if (!parsed.ok) throw new Error(parsed.error);
  return bucketsOf(parsed.value).map(({ label, from, until }) => `${label} ${(until - from) / 3_600_000}`);
}

describe('parsePeriod', () => {
  it('takes dates as midnights of the time zone, on both sides of a change of the clocks', () => {
    expect(periodOf()).toEqual({
      ok: true,
      value: {
        from: Date.parse('2027-03-26T23:00:00Z'),
        until: Date.parse('2027-03-29T22:00:00Z'),
        timeZone: 'Europe/Berlin',
      },
    });
  });

  it.each([
    { given: 'europe/berlin', want: 'Europe/Berlin' },
    { given: 'CET', want: 'CET' },
  ])('has the zone $given by the name $want', ({ given, want }) => {
    expect(periodOf({ timeZone: given })).toMatchObject({ value: { timeZone: want } });
  });

  it.each([
    { time: '2027-03-28T03:00:00.25+02:00', want: '2027-03-28T03:00:00.250+02:00' },
    { time: '2027-03-28T01:00:00.0009Z', want: '2027-03-28T03:00:00+02:00' },
  ])('takes $time to the millisecond, and says so', ({ time, want }) => {
    const period = periodOf({ until: time });
    expect(period.ok && localText(period.value.until, 'Europe/Berlin')).toBe(want);
  });

  it('takes the first moment of a day that has no midnight', () => {
    const period = periodOf({ from: '2024-04-26', until: '2024-04-27', timeZone: 'Africa/Cairo' });
    expect(period).toMatchObject({ value: { from: Date.parse('2024-04-25T22:00:00Z') } });
  });

  it.each([
    {
      name: 'a zone that is none',
      given: { timeZone: 'Europe/Bielefeld' },
      want: 'timeZone is "Europe/Bielefeld"',
    },
    { name: 'an offset, which is no zone', given: { timeZone: '+02:00' }, want: 'it wants an IANA name' },
    {
      name: 'a time that is none',
      given: { until: 'tomorrow' },
      want: 'until is "tomorrow"; it wants a date',
    },
    {
      name: 'a day that is none',
      given: { from: '2027-02-30' },
      want: 'from is "2027-02-30"; it wants a date',
    },
    { name: 'an end before the beginning', given: { until: '2027-03-27' }, want: 'not after its beginning' },
    { name: 'more than ten years', given: { until: '2047-03-27' }, want: 'more than 3660 days' },
  ])('refuses $name', ({ given, want }) => {
    expect(periodOf(given)).toEqual({ ok: false, error: expect.stringContaining(want) });
  });
});

describe('bucketsOf', () => {
  it('has days of 23 and 25 hours', () => {
    expect(bucketTexts({})).toEqual(['2027-03-27 24', '2027-03-28 23', '2027-03-29 24']);
    expect(bucketTexts({ from: '2027-10-31', until: '2027-11-01' })).toEqual(['2027-10-31 25']);
  });

  it('begins and ends within a day where the period does', () => {
    const times = { from: '2027-03-27T12:00:00+01:00', until: '2027-03-28T01:00:00+01:00' };
    expect(bucketTexts(times)).toEqual(['2027-03-27 12', '2027-03-28 1']);
  });

  it('has months beyond a quarter', () => {
    const year = bucketTexts({ from: '2027-01-15', until: '2028-01-01', timeZone: 'UTC' });
    expect(year).toHaveLength(12);
    expect(year.slice(0, 2)).toEqual(['2027-01 408', '2027-02 672']);
  });

  it('passes over a date that a zone left out', () => {
    const samoa = { from: '2011-12-29', until: '2012-01-01', timeZone: 'Pacific/Apia' };
    expect(bucketTexts(samoa)).toEqual(['2011-12-29 24', '2011-12-31 24']);
  });
});

it('writes a moment with the offset of its day', () => {
  expect(localText(Date.parse('2027-03-28T00:59:59Z'), 'Europe/Berlin')).toBe('2027-03-28T01:59:59+01:00');
  expect(localText(Date.parse('2027-03-28T01:00:00Z'), 'Europe/Berlin')).toBe('2027-03-28T03:00:00+02:00');
});
