import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { formatMilli, parseMilli, toMilli } from './milli.ts';
import { milliValue, parseQuantity } from './quantity.ts';

const suffix = fc.constantFrom(
  '',
  'n',
  'u',
  'm',
  'k',
  'M',
  'G',
  'T',
  'P',
  'E',
  'Ki',
  'Mi',
  'Gi',
  'Ti',
  'Pi',
  'Ei',
  'e3',
  'E-2',
  'e',
  'x',
);
const digits = fc.stringMatching(/^[0-9]{0,20}$/);
const quantityText = fc
  .tuple(fc.constantFrom('', '-', '+'), digits, fc.constantFrom('', '.'), digits, suffix)
  .map((parts) => parts.join(''));

describe('parseMilli', () => {
  it('agrees with the exact path on every text', () => {
    fc.assert(
      fc.property(fc.oneof(quantityText, fc.string()), (text) => {
        const exact = parseQuantity(text);
        const milli = exact.ok ? milliValue(exact.value) : undefined;
        expect(parseMilli(text)).toBe(milli === undefined ? undefined : toMilli(milli));
      }),
      { numRuns: 3000 },
    );
  });

  it('agrees with the exact path on every JSON number', () => {
    fc.assert(
      fc.property(fc.oneof(fc.double(), fc.integer(), fc.maxSafeInteger()), (number) => {
        const exact = parseQuantity(number);
        const milli = exact.ok ? milliValue(exact.value) : undefined;
        expect(parseMilli(number)).toBe(milli === undefined ? undefined : toMilli(milli));
      }),
    );
  });

  it.each([
    { given: '93m', want: 93 },
    { given: '1234567n', want: 2 },
    { given: '0.0000000001', want: 1 },
    { given: '-0', want: 0 },
    { given: -0, want: 0 },
    { given: '9007199254740991m', want: 9007199254740991 },
    { given: '9007199254740992m', want: 9007199254740992n },
    { given: '9T', want: 9_000_000_000_000_000 },
    { given: 'NaN', want: undefined },
  ])('reads $given', ({ given, want }) => {
    expect(parseMilli(given)).toBe(want);
  });
});

describe('formatMilli', () => {
  it.each([
    { given: 0, want: '0' },
    { given: 1500, want: '1500m' },
    { given: 2000, want: '2' },
    { given: 2_000_000, want: '2k' },
    { given: 9_223_372_036_854_775_807n, want: '9223372036854775807m' },
    { given: 9_000_000_000_000_000_000n, want: '9P' },
  ])('prints $given as $want', ({ given, want }) => {
    expect(formatMilli(given)).toBe(want);
  });

  it.each([
    { given: 1_024_000, want: '1Ki' },
    { given: 1_023_000, want: '1023' },
    { given: 1_025_000, want: '1025' },
    { given: 104_857_600_000, want: '100Mi' },
    { given: 1_024_001, want: '1024001m' },
    { given: -2_048_000, want: '-2Ki' },
    { given: 1_000_000, want: '1k' },
  ])('prints $given as $want in binary', ({ given, want }) => {
    expect(formatMilli(given, 'BinarySI')).toBe(want);
  });

  it('prints what parses back to the same value', () => {
    fc.assert(
      fc.property(
        fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
        fc.constantFrom('DecimalSI' as const, 'BinarySI' as const),
        (milli, format) => {
          expect(parseMilli(formatMilli(milli, format))).toBe(toMilli(milli));
        },
      ),
    );
  });
});
