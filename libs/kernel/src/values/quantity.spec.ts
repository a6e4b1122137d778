import { describe, expect, it } from '@jest/globals';
import { approximateFloat64, milliValue, parseQuantity, type Quantity } from './quantity.ts';

function read(input: string | number): Quantity {
  const result = parseQuantity(input);
  if (!result.ok) throw new Error(result.error.message);
  return result.value;
}

describe('parseQuantity', () => {
  it.each([
    { given: '100m', want: [100n, -3, 'DecimalSI'] },
    { given: '0.1', want: [100n, -3, 'DecimalSI'] },
    { given: '.5', want: [500n, -3, 'DecimalSI'] },
    { given: '9.', want: [9n, 0, 'DecimalSI'] },
    { given: '010', want: [10n, 0, 'DecimalSI'] },
    { given: '+1500', want: [1500n, 0, 'DecimalSI'] },
    { given: '1000', want: [1n, 3, 'DecimalSI'] },
    { given: '-2500u', want: [-2500n, -6, 'DecimalSI'] },
    { given: '1E', want: [1n, 18, 'DecimalSI'] },
    { given: '1E2', want: [100n, 0, 'DecimalExponent'] },
    { given: '1e-07', want: [100n, -9, 'DecimalExponent'] },
    { given: '1e99', want: [1n, 99, 'DecimalExponent'] },
    { given: '2Gi', want: [2147483648n, 0, 'BinarySI'] },
    { given: '1.5Ki', want: [1536n, 0, 'BinarySI'] },
    { given: '0.0001Ki', want: [102400n, -6, 'DecimalSI'] },
    { given: '9Ei', want: [9223372036854775807n, 0, 'BinarySI'] },
    { given: '0.0000000001', want: [1n, -9, 'DecimalSI'] },
    { given: `0.${'0'.repeat(500)}1`, want: [1n, -9, 'DecimalSI'] },
    { given: '0'.repeat(4096), want: [0n, 0, 'DecimalSI'] },
    { given: '-0', want: [0n, 0, 'DecimalSI'] },
    { given: 0.0000001, want: [100n, -9, 'DecimalExponent'] },
    { given: 12, want: [12n, 0, 'DecimalSI'] },
  ])('reads $given exactly', ({ given, want }) => {
    const { mantissa, exponent, format } = read(given);
    expect([mantissa, exponent, format]).toEqual(want);
  });

  it.each([
    '',
    '.',
    'm',
    '+',
    '1e',
    '1e+',
    '1E400',
    '1e100',
    ' 1',
    '1 ',
    '1\n',
    '1K',
    '1ki',
    '1mi',
    '1.2.3',
    '0x10',
    '0'.repeat(4097),
  ])('refuses %j', (given) => {
    expect(parseQuantity(given)).toMatchObject({ ok: false, error: { code: 'InvalidQuantity' } });
  });

  it.each([Number.NaN, Number.POSITIVE_INFINITY, 1e300])('refuses the number %d', (given) => {
    expect(parseQuantity(given).ok).toBe(false);
  });
});

describe('milliValue', () => {
  it.each([
    { given: '0.0001', want: 1n },
    { given: '-0.0001', want: -1n },
    { given: '-2500u', want: -3n },
    { given: '1n', want: 1n },
    { given: '9007199254740993', want: 9007199254740993000n },
    { given: '9223372036854775807m', want: 9223372036854775807n },
    { given: '9223372036854775808m', want: undefined },
    { given: '-9223372036854775808m', want: -9223372036854775808n },
    { given: '-9223372036854775809m', want: undefined },
    { given: '1e99', want: undefined },
    { given: '0e99', want: 0n },
    { given: '9Ei', want: undefined },
  ])('gives $want for $given', ({ given, want }) => {
    expect(milliValue(read(given))).toBe(want);
  });
});

describe('approximateFloat64', () => {
  it.each([
    { given: '118m', want: 118 * 0.001 },
    { given: '0.118', want: 118 * 0.001 },
    { given: '0.1', want: 0.1 },
    { given: '1', want: 1 },
    { given: '5e-1', want: 0.5 },
    { given: '1k', want: 1000 },
  ])('gives $want for $given', ({ given, want }) => {
    expect(approximateFloat64(read(given))).toBe(want);
  });

  it('differs from n / 1000 for 144 of the thousandths between 0 and 1', () => {
    const thousandths = Array.from({ length: 1001 }, (_, n) => n);
    expect(thousandths.filter((n) => approximateFloat64(read(`${n}m`)) !== n / 1000)).toHaveLength(144);
  });
});
