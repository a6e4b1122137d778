import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type Milli, toMilli } from '#kernel';
import {
  addMilli,
  divideTruncating,
  ExactSum,
  percentOf,
  toReplicas,
  utilizationPercent,
} from './exact-sum.ts';

const milli: fc.Arbitrary<Milli> = fc.oneof(
  fc.integer(),
  fc.maxSafeInteger(),
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map(toMilli),
);
const divisor = milli.filter((value) => value !== 0);

describe('the fast path and the big integers', () => {
  it('sum alike', () => {
    fc.assert(
      fc.property(fc.array(milli), (values) => {
        const sum = new ExactSum();
        for (const value of values) sum.add(value);
        expect(sum.value()).toBe(toMilli(values.reduce<bigint>((total, value) => total + BigInt(value), 0n)));
      }),
    );
  });

  it('add, divide and take a percentage alike', () => {
    fc.assert(
      fc.property(milli, divisor, fc.integer({ min: 1, max: 2 ** 31 - 1 }), (a, b, factor) => {
        expect(addMilli(a, b)).toBe(toMilli(BigInt(a) + BigInt(b)));
        expect(divideTruncating(a, b)).toBe(toMilli(BigInt(a) / BigInt(b)));
        expect(percentOf(a, factor)).toBe(toMilli((BigInt(a) * BigInt(factor)) / 100n));
      }),
    );
  });

  it('tell a utilisation alike, within int32', () => {
    fc.assert(
      fc.property(milli, divisor, (usage, requests) => {
        const exact = (BigInt(usage) * 100n) / BigInt(requests);
        const clamped = exact > 2147483647n ? 2147483647n : exact < -2147483648n ? -2147483648n : exact;
        expect(utilizationPercent(usage, requests)).toBe(Number(clamped));
      }),
    );
  });
});

describe('toReplicas', () => {
  it.each([
    { given: 2147483646, want: 2147483646 },
    { given: 2147483647, want: 2147483647 },
    { given: 2147483648, want: 2147483647 },
    { given: Number.POSITIVE_INFINITY, want: 2147483647 },
    { given: -1, want: 0 },
    { given: -0, want: 0 },
    { given: Number.NaN, want: 0 },
  ])('makes $want of $given', ({ given, want }) => {
    expect(toReplicas(given)).toBe(want);
  });
});
