import { describe, expect, it } from '@jest/globals';
import { CronStarts } from './cron-starts.ts';
import { TimeZone } from './time-zone.ts';

const hour = 3_600_000;
const day = 24 * hour;

const startsOf = (cron: string, timeZone: string) =>
  new CronStarts({ cron, timeZone }, new TimeZone(timeZone));
/** All starts later than one time and not later than another. */
function startsBetween(cron: string, timeZone: string, [from, until]: readonly [number, number]): string[] {
  const starts = startsOf(cron, timeZone);
  const found: string[] = [];
  for (let at = starts.after(from); at !== null && at <= until; at = starts.after(at))
    found.push(new Date(at).toISOString());
  return found;
}

/** Clocks that are set forward: from the first local time that they skip to the first one after that. */
interface Gap {
  readonly timeZone: string;
  /** In milliseconds since 1970. */
  readonly at: number;
  /** As if they were UTC. */
  readonly from: number;
  readonly until: number;
}

/** Found apart from what is tested: by what JavaScript calls the offset. */
function offsetsOf(timeZone: string): (time: number) => number {
  const format = new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset' });
  return (time) => {
    const [, sign, hours, minutes] = /GMT(?:([+-])(\d\d):(\d\d))?$/.exec(format.format(time)) ?? [];
    return (sign === '-' ? -1 : 1) * (Number(hours ?? 0) * 60 + Number(minutes ?? 0)) * 60_000;
  };
}

function gapsOf(timeZone: string, start: number, end: number): readonly Gap[] {
  const offset = offsetsOf(timeZone);
  const gaps: Gap[] = [];
  // Those of Ramadan, which lie nearest to each other, are a month apart.
  for (let time = start; time < end; time += 7 * day) {
    if (offset(time + 7 * day) <= offset(time)) continue;
    let [before, at] = [time, time + 7 * day];
    while (at - before > 60_000) {
      const middle = Math.floor((before + at) / 120_000) * 60_000;
      if (offset(middle) === offset(before)) before = middle;
      else at = middle;
    }
    gaps.push({ timeZone, at, from: at + offset(before), until: at + offset(at) });
  }
  return gaps;
}

const gaps = Intl.supportedValuesOf('timeZone').flatMap((timeZone) =>
  gapsOf(timeZone, Date.UTC(2024, 0, 1), Date.UTC(2031, 0, 1)),
);

describe('a start that daylight saving skips', () => {
  it.each([
    { name: 'at the end of a day', cron: '30 23 * * *', zone: 'America/Nuuk', at: '2027-03-28T01:00' },
    {
      name: 'on the last day of a week',
      cron: '30 23 * * 6',
      zone: 'America/Scoresbysund',
      at: '2027-03-28T01:00',
    },
    { name: 'at the start of a day', cron: '30 0 * * *', zone: 'Atlantic/Azores', at: '2027-03-28T01:00' },
    { name: 'at midnight', cron: '0 0 * * *', zone: 'Africa/Cairo', at: '2026-04-23T22:00' },
    { name: 'at night', cron: '30 2 * * *', zone: 'Europe/Berlin', at: '2027-03-28T01:00' },
    { name: 'of several', cron: '30 2,14 * * *', zone: 'Europe/Berlin', at: '2027-03-28T01:00' },
    { name: 'of a whole day', cron: '0 12 * * *', zone: 'Pacific/Apia', at: '2011-12-30T10:00' },
  ])('$name is the first instant after the gap', ({ cron, zone, at }) => {
    const time = Date.parse(`${at}:00.000Z`);
    expect(startsBetween(cron, zone, [time - hour, time + hour])).toEqual([`${at}:00.000Z`]);
  });

  it('is one start with those that are shown at that instant', () => {
    const around = [Date.parse('2027-03-28T00:29:00Z'), Date.parse('2027-03-28T01:30:00Z')] as const;
    const want = ['2027-03-28T00:45:00.000Z', '2027-03-28T01:00:00.000Z', '2027-03-28T01:15:00.000Z'];
    expect(startsBetween('15,45,0 * * * *', 'Europe/Berlin', around)).toEqual(want);
  });

  it('comes once on its day in every time zone, and each day beside it has one', () => {
    expect(gaps.length).toBeGreaterThan(500);
    for (const [index, { timeZone, at, from, until }] of gaps.entries()) {
      // Another minute of each gap.
      const skipped = new Date(from + ((index * 7 * 60_000) % (until - from)));
      const cron = `${skipped.getUTCMinutes()} ${skipped.getUTCHours()} * * *`;
      const found = startsBetween(cron, timeZone, [at - 2 * day, at + 2 * day]);
      expect([timeZone, cron, found.filter((start) => Math.abs(Date.parse(start) - at) < 12 * hour)]).toEqual(
        [timeZone, cron, [new Date(at).toISOString()]],
      );
      for (const [number, start] of found.entries())
        if (number > 0) expect(Date.parse(start) - Date.parse(found[number - 1]!)).toBeLessThan(26 * hour);
    }
  });
});

it('a start that the clocks show twice comes once, as one that they show once', () => {
  const around = [Date.parse('2026-10-24T12:00:00Z'), Date.parse('2026-10-26T12:00:00Z')] as const;
  expect(startsBetween('30 2 * * *', 'Europe/Berlin', around)).toEqual([
    '2026-10-25T00:30:00.000Z',
    '2026-10-26T01:30:00.000Z',
  ]);
});
