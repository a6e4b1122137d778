import { type Milli, toMilli } from '#kernel';

/** The greatest replica count: upstream's int32. */
export const maxReplicas = 2_147_483_647;
const minInt32 = -2_147_483_648;

/**
 * A sum of thousandths that never loses a digit: it stays with numbers while the sum is a safe integer, and moves to
 * a bigint when it is not.
 */
export class ExactSum {
  #small = 0;
  #large = 0n;

  add(value: Milli): void {
    if (typeof value === 'number') {
      const sum = this.#small + value;
      if (Number.isSafeInteger(sum)) {
        this.#small = sum;
        return;
      }
    }
    this.#large += BigInt(this.#small) + BigInt(value);
    this.#small = 0;
  }

  value(): Milli {
    return this.#large === 0n ? this.#small : toMilli(this.#large + BigInt(this.#small));
  }
}

/** The exact sum of two values. */
export function addMilli(a: Milli, b: Milli): Milli {
  if (typeof a === 'number' && typeof b === 'number' && Number.isSafeInteger(a + b)) return a + b;
  return toMilli(BigInt(a) + BigInt(b));
}

/** `dividend / divisor`, truncated toward zero as Go divides integers. The divisor is not 0. */
export function divideTruncating(dividend: Milli, divisor: Milli): Milli {
  if (typeof dividend === 'number' && typeof divisor === 'number')
    return (dividend - (dividend % divisor)) / divisor + 0;
  return toMilli(BigInt(dividend) / BigInt(divisor));
}

/** `value × factor / 100`, truncated toward zero; exact. */
export function percentOf(value: Milli, factor: number): Milli {
  const product = typeof value === 'number' ? value * factor : Number.NaN;
  if (Number.isSafeInteger(product)) return divideTruncating(product, 100);
  return toMilli((BigInt(value) * BigInt(factor)) / 100n);
}

/**
 * Usage as a whole percent of the requests, truncated and kept within int32. The requests are not 0.
 *
 * @see docs/spec/horizontal-pod-autoscaler-rules.md "Reading metrics"
 */
export function utilizationPercent(usage: Milli, requests: Milli): number {
  const hundredfold = typeof usage === 'number' ? usage * 100 : Number.NaN;
  const percent = Number.isSafeInteger(hundredfold)
    ? divideTruncating(hundredfold, requests)
    : toMilli((BigInt(usage) * 100n) / BigInt(requests));
  return Number(percent < minInt32 ? minInt32 : percent > maxReplicas ? maxReplicas : percent);
}

/** A float that becomes a replica count: whole already, kept between 0 and 2³¹−1; NaN is 0. */
export function toReplicas(count: number): number {
  if (count >= maxReplicas) return maxReplicas;
  return count > 0 ? count : 0;
}
