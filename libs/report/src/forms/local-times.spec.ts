import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { localText } from '../terms/period.ts';
import { LocalTimes } from './local-times.ts';

const zones = [
  'UTC',
  'Europe/Berlin',
  'Asia/Kathmandu',
  'Australia/Lord_Howe',
  'Pacific/Apia',
  'Africa/Monrovia',
  'America/St_Johns',
];

it('writes every moment as one that is looked up by itself', () => {
  const times = zones.map((zone) => [zone, new LocalTimes(zone)] as const);
  const moment = fc.oneof(
    fc.integer({ min: Date.parse('1970-01-01T00:00:00Z'), max: Date.parse('2100-01-01T00:00:00Z') }),
    fc.integer({ min: Date.parse('0000-12-30T00:00:00Z'), max: Date.parse('9999-12-31T23:59:59Z') }),
  );
  fc.assert(
    fc.property(moment, (milliseconds) => {
      for (const [zone, local] of times) expect(local.text(milliseconds)).toBe(localText(milliseconds, zone));
    }),
  );
});

it.each([
  { zone: 'Europe/Berlin', around: '2027-03-28T01:00:00Z' },
  { zone: 'Australia/Lord_Howe', around: '2027-04-03T15:00:00Z' },
  { zone: 'Africa/Monrovia', around: '1972-01-07T00:44:30Z' },
  { zone: 'Pacific/Apia', around: '2011-12-30T10:00:00Z' },
])('follows a change of the clocks in $zone to the second', ({ zone, around }) => {
  const times = new LocalTimes(zone);
  for (let seconds = -7_200; seconds <= 7_200; seconds += 30) {
    const milliseconds = Date.parse(around) + seconds * 1_000;
    expect(times.text(milliseconds)).toBe(localText(milliseconds, zone));
    expect(times.text(milliseconds - 1)).toBe(localText(milliseconds - 1, zone));
  }
});
