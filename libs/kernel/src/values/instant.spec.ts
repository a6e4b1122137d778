import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  addSeconds,
  compareInstants,
  type Instant,
  parseInstant,
  toUtcText,
  wholeSecondsBetween,
} from './instant.ts';

function read(text: string): Instant {
  const instant = parseInstant(text);
  if (instant === undefined) throw new Error(text);
  return instant;
}

describe('parseInstant', () => {
  it.each([
    { given: '1970-01-01T00:00:00Z', want: { seconds: 0, nanos: 0 } },
    { given: '2026-11-20T12:00:00.000Z', want: { seconds: 1795176000, nanos: 0 } },
    { given: '2026-11-20T13:00:00.25+01:00', want: { seconds: 1795176000, nanos: 250000000 } },
    { given: '2026-11-20T12:00:00.0000000019Z', want: { seconds: 1795176000, nanos: 1 } },
    { given: '2024-02-29T23:59:59Z', want: { seconds: 1709251199, nanos: 0 } },
    { given: '0000-01-01T00:00:00Z', want: { seconds: -62167219200, nanos: 0 } },
  ])('reads $given', ({ given, want }) => {
    expect(parseInstant(given)).toEqual(want);
  });

  it.each([
    '2026-11-20',
    '2026-11-20 12:00:00Z',
    '2026-11-20t12:00:00z',
    '2026-11-20T12:00:00',
    '2026-11-20T12:00:00.Z',
    `2026-11-20T12:00:00.${'0'.repeat(1001)}Z`,
    '2026-11-20T24:00:00Z',
    '2026-11-20T12:60:00Z',
    '2026-11-20T12:00:60Z',
    '2026-02-29T12:00:00Z',
    '2026-13-01T12:00:00Z',
    '2026-00-01T12:00:00Z',
    '2026-11-00T12:00:00Z',
    '2026-11-20T12:00:00+24:00',
    '2026-11-20T12:00:00+01:60',
    '0000-01-01T00:00:00+01:00',
    '2026-11-2\u0660T12:00:00Z',
    '20x6-11-20T12:00:00Z',
    '2026-x1-20T12:00:00Z',
    '2026-11-x0T12:00:00Z',
    '2026-11-20Tx2:00:00Z',
    '2026-11-20T12:x0:00Z',
    '2026-11-20T12:00:x0Z',
    '2026-11-20T12:00:00.x00Z',
    '2026-11-20T12:00:00.00xZ',
    '',
  ])('refuses %j', (given) => {
    expect(parseInstant(given)).toBeUndefined();
  });

  it('agrees with the calendar of the language', () => {
    fc.assert(
      fc.property(
        fc.date({
          min: new Date('0000-01-01T00:00:00Z'),
          max: new Date('9999-12-31T23:59:59.999Z'),
          noInvalidDate: true,
        }),
        (date) => {
          const { seconds, nanos } = read(date.toISOString());
          expect(seconds * 1000 + nanos / 1e6).toBe(date.getTime());
          expect(toUtcText(read(date.toISOString()), date.toISOString())).toBe(date.toISOString());
        },
      ),
    );
  });
});

function utc(text: string): string {
  return toUtcText(read(text), text);
}

describe('instants', () => {
  it('compare to the nanosecond', () => {
    const earlier = read('2026-11-20T12:00:00.000000001Z');
    expect(compareInstants(earlier, read('2026-11-20T12:00:00.000000002Z'))).toBeLessThan(0);
    expect(compareInstants(earlier, read('2026-11-20T14:00:00.000000001+02:00'))).toBe(0);
    expect(compareInstants(addSeconds(earlier, 1), earlier)).toBeGreaterThan(0);
  });

  it('count whole seconds downwards', () => {
    const start = read('2026-11-20T12:00:00.5Z');
    expect(wholeSecondsBetween(start, read('2026-11-20T12:00:10.4Z'))).toBe(9);
    expect(wholeSecondsBetween(start, read('2026-11-20T12:00:10.5Z'))).toBe(10);
    expect(wholeSecondsBetween(start, read('2026-11-20T12:00:00.4Z'))).toBe(-1);
  });

  it('print in UTC with the digits they came with', () => {
    expect(utc('2026-11-20T13:00:00.50+01:00')).toBe('2026-11-20T12:00:00.50Z');
    expect(utc('2026-11-20T13:00:00+01:00')).toBe('2026-11-20T12:00:00Z');
    expect(utc('2026-11-20T12:00:00Z')).toBe('2026-11-20T12:00:00Z');
  });
});
