import { err, ok, type Result } from '../outcomes/result.ts';
import { cutText } from '../texts/cut-text.ts';
import { withoutTrailing } from '../texts/without-trailing.ts';

/** How a quantity was written, which is how Kubernetes prints it again. */
export type QuantityFormat = 'DecimalSI' | 'BinarySI' | 'DecimalExponent';

/**
 * An exact Kubernetes quantity: `mantissa × 10^exponent`, canonical, that is without factors of ten beyond what
 * makes `exponent` a multiple of three. Zero is `0 × 10^0`. Like upstream's, a value finer than a billionth is
 * rounded away from zero to billionths, and a `Ki … Ei` value is capped at 2⁶³−1.
 *
 * @see https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/quantity/
 */
export interface Quantity {
  readonly mantissa: bigint;
  readonly exponent: number;
  readonly format: QuantityFormat;
}

/** Why a text is no quantity. */
export interface QuantityError {
  readonly code: 'InvalidQuantity';
  readonly message: string;
}

/** The greatest int64: quantities are int64 milli-units once they are read. */
export const maxInt64 = 9_223_372_036_854_775_807n;
/** The least int64. */
export const minInt64 = -9_223_372_036_854_775_808n;

const grammar = /^([+-]?)(\d*)(?:\.(\d*))?([numkMGTPE]|[KMGTPE]i|[eE][+-]?\d{1,2})?$/;
const decimalExponent: Readonly<Record<string, number>> = {
  n: -9,
  u: -6,
  m: -3,
  k: 3,
  M: 6,
  G: 9,
  T: 12,
  P: 15,
  E: 18,
};
const binaryShift: Readonly<Record<string, bigint>> = {
  Ki: 10n,
  Mi: 20n,
  Gi: 30n,
  Ti: 40n,
  Pi: 50n,
  Ei: 60n,
};
const nanoExponent = -9;
/** Characters of a quantity: those of an int64 in any notation are fewer, and large numbers take long to read. */
const maxLength = 4096;
/** Fraction digits kept: with two exponent digits nothing beyond 99 + 9 can reach the nano place except as "more than zero". */
const maxFractionDigits = 128;

/**
 * Reads a quantity: at least one digit, a point anywhere, then nothing, `n u m k M G T P E`, `Ki … Ei`, or `e`/`E`
 * with an optional sign and at most two digits. No blanks, and at most 4,096 characters. A JSON number is read as its ECMAScript text, so infinity
 * and NaN are errors.
 */
export function parseQuantity(input: string | number): Result<Quantity, QuantityError> {
  const text = typeof input === 'number' ? String(input) : input;
  const match = text.length > maxLength ? null : grammar.exec(text);
  if (match === null) return err(notAQuantity(text));
  const [, sign, whole = '', fraction = '', suffix = ''] = match;
  if (whole.length + fraction.length === 0) return err(notAQuantity(text));
  const magnitude = readMagnitude(whole, fraction, suffix);
  return ok(sign === '-' ? { ...magnitude, mantissa: -magnitude.mantissa } : magnitude);
}

/**
 * The quantity in thousandths, rounded away from zero, as every metric value, request and target is counted;
 * undefined where that leaves int64. `100m` is 100n, `0.0001` is 1n, `-2500u` is -3n.
 */
export function milliValue({ mantissa, exponent }: Quantity): bigint | undefined {
  // No int64 has more than 19 digits, and a canonical mantissa is 0 or at least 1.
  if (exponent > 24) return mantissa === 0n ? 0n : undefined;
  const milli =
    exponent >= -3
      ? mantissa * 10n ** BigInt(exponent + 3)
      : divideAwayFromZero(mantissa, 10n ** BigInt(-3 - exponent));
  return milli > maxInt64 || milli < minInt64 ? undefined : milli;
}

/**
 * The float64 that Kubernetes computes with: `mantissa × 10^exponent` in one floating multiplication, which is not
 * always the nearest float of the decimal text (`118m` is 118 × 0.001 = 0.11800000000000001).
 *
 * @see AsApproximateFloat64 in k8s.io/apimachinery/pkg/api/resource
 */
export function approximateFloat64({ mantissa, exponent }: Quantity): number {
  return exponent === 0 ? Number(mantissa) : Number(mantissa) * powerOfTen(exponent);
}

function readMagnitude(whole: string, fraction: string, suffix: string): Quantity {
  const shift = binaryShift[suffix];
  return shift === undefined
    ? decimalMagnitude(whole, fraction, suffix)
    : binaryMagnitude(whole, fraction, shift);
}

function decimalMagnitude(whole: string, fraction: string, suffix: string): Quantity {
  const isExponentForm = suffix.length > 1 || suffix === 'e';
  const suffixExponent = isExponentForm ? Number(suffix.slice(1)) : (decimalExponent[suffix] ?? 0);
  const kept = keepFraction(fraction);
  const format = isExponentForm ? 'DecimalExponent' : 'DecimalSI';
  return canonical(BigInt(whole + kept), suffixExponent - kept.length, format);
}

function binaryMagnitude(whole: string, fraction: string, shift: bigint): Quantity {
  const kept = keepFraction(fraction);
  const value = canonical(BigInt(whole + kept) << shift, -kept.length, 'BinarySI');
  const unit = value.exponent < 0 ? 10n ** BigInt(-value.exponent) : 1n;
  const isBelowOne = value.mantissa > 0n && value.exponent < 0 && value.mantissa < unit;
  if (isBelowOne) return { ...value, format: 'DecimalSI' };
  const scaled = value.exponent > 0 ? value.mantissa * 10n ** BigInt(value.exponent) : value.mantissa;
  return scaled > maxInt64 * unit ? canonical(maxInt64, 0, 'BinarySI') : value;
}

/** The digits that can matter, the rest folded into one digit: 1 if any of it was not zero. */
function keepFraction(fraction: string): string {
  if (fraction.length <= maxFractionDigits) return fraction;
  const rest = /[1-9]/.test(fraction.slice(maxFractionDigits)) ? '1' : '0';
  return fraction.slice(0, maxFractionDigits) + rest;
}

function canonical(magnitude: bigint, exponent: number, format: QuantityFormat): Quantity {
  if (magnitude === 0n) return { mantissa: 0n, exponent: 0, format };
  let mantissa = magnitude;
  let scale = exponent;
  if (scale < nanoExponent) {
    mantissa = divideAwayFromZero(mantissa, 10n ** BigInt(nanoExponent - scale));
    scale = nanoExponent;
  }
  const digits = mantissa.toString();
  const significant = withoutTrailing(digits, '0');
  scale += digits.length - significant.length;
  const padding = ((scale % 3) + 3) % 3;
  return { mantissa: BigInt(significant + '0'.repeat(padding)), exponent: scale - padding, format };
}

function divideAwayFromZero(value: bigint, divisor: bigint): bigint {
  const quotient = value / divisor;
  if (quotient * divisor === value) return quotient;
  return value < 0n ? quotient - 1n : quotient + 1n;
}

/** Go's math.Pow10 in the range that occurs: a product of two exact table entries, or the reciprocal of one. */
function powerOfTen(exponent: number): number {
  if (exponent < 0) return 1 / Number(`1e${-exponent}`);
  const high = exponent - (exponent % 32);
  return Number(`1e${high}`) * Number(`1e${exponent - high}`);
}

function notAQuantity(text: string): QuantityError {
  const shown = text.length > 40 ? `${cutText(text, 40)}…` : text;
  return { code: 'InvalidQuantity', message: `"${shown}" is not a quantity such as 250m, 1.5 or 2Gi` };
}
