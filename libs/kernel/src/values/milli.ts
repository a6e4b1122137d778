import { milliValue, parseQuantity, type QuantityFormat } from './quantity.ts';

/**
 * Thousandths of a quantity, int64: a number where it is a safe integer, else a bigint. The two never overlap, so
 * `===` compares values of one form, and code that sums many may stay with numbers until one is not.
 */
export type Milli = number | bigint;

const zeroMilli = 48;
const point = 46;
const plus = 43;
const minus = 45;
/** Digits that always stay a safe integer. */
const maxFastDigits = 15;
const tens = [1, 10, 100, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15] as const;

/**
 * The quantity in thousandths, rounded away from zero; undefined where it does not parse or leaves int64.
 * Equal to `parseQuantity` then `milliValue`, without allocating for the texts that occur: what hot loops use.
 */
export function parseMilli(input: string | number): Milli | undefined {
  if (typeof input === 'number') {
    const milli = input * 1000;
    return Number.isInteger(input) && Number.isSafeInteger(milli) ? milli + 0 : parseMilliText(String(input));
  }
  return parseMilliText(input);
}

/** Narrows an exact bigint of thousandths to the form that {@link Milli} promises. */
export function toMilli(value: bigint): Milli {
  const narrow = Number(value);
  return Number.isSafeInteger(narrow) ? narrow : value;
}

/**
 * Prints thousandths as Kubernetes prints a quantity made from them: `1500` is `1500m`, `2000` is `2`; `BinarySI`
 * uses `Ki … Ei` for whole values of at least 1024, else it prints as `DecimalSI`.
 */
export function formatMilli(milli: Milli, format: QuantityFormat = 'DecimalSI'): string {
  const text = String(milli);
  if (text === '0') return text;
  const isBinary =
    format === 'BinarySI' && text.endsWith('000') && !(milli > -1_024_000 && milli < 1_024_000);
  return isBinary ? formatBinary(BigInt(milli) / 1000n) : formatDecimal(text);
}

function parseMilliText(text: string): Milli | undefined {
  const sign = text.charCodeAt(0);
  const start = sign === minus || sign === plus ? 1 : 0;
  let at = start;
  let value = 0;
  let digit = text.charCodeAt(at) - zeroMilli;
  while (digit >= 0 && digit <= 9) {
    value = value * 10 + digit;
    at += 1;
    digit = text.charCodeAt(at) - zeroMilli;
  }
  const isShort = at > start && at - start <= maxFastDigits;
  const milli = isShort ? scaled(text, at, value) : undefined;
  if (milli === undefined || !Number.isSafeInteger(milli)) return parseMilliSlowly(text);
  return sign === minus ? 0 - milli : milli;
}

/** What follows the whole digits: one suffix, or a short fraction without a suffix; undefined for anything rarer. */
function scaled(text: string, at: number, value: number): number | undefined {
  const rest = text.length - at;
  if (rest === 0) return value * 1000;
  if (text.charCodeAt(at) === point) return withFraction(text, at + 1, value);
  if (rest === 1) return withDecimalSuffix(text.charCodeAt(at), value);
  if (rest === 2 && text.charCodeAt(at + 1) === 105) return withBinarySuffix(text.charCodeAt(at), value);
  return undefined;
}

function withFraction(text: string, from: number, whole: number): number | undefined {
  const digits = text.length - from;
  if (digits > 9 || whole > 999_999) return undefined;
  let value = whole;
  for (let at = from; at < text.length; at += 1) {
    const digit = text.charCodeAt(at) - zeroMilli;
    if (!(digit >= 0 && digit <= 9)) return undefined;
    value = value * 10 + digit;
  }
  return digits <= 3 ? value * (tens[3 - digits] ?? 1) : divideUp(value, tens[digits - 3] ?? 1);
}

function withDecimalSuffix(suffix: number, value: number): number | undefined {
  switch (suffix) {
    case 109: // m
      return value;
    case 110: // n
      return divideUp(value, 1e6);
    case 117: // u
      return divideUp(value, 1e3);
    case 107: // k
      return value * 1e6;
    case 77: // M
      return value * 1e9;
    case 71: // G
      return value * 1e12;
    default:
      return undefined;
  }
}

function withBinarySuffix(suffix: number, value: number): number | undefined {
  switch (suffix) {
    case 75: // Ki
      return value * 1_024_000;
    case 77: // Mi
      return value * 1_048_576_000;
    case 71: // Gi
      return value * 1_073_741_824_000;
    default:
      return undefined;
  }
}

/** Exact for safe integers: the remainder is, so the quotient of what is left is. */
function divideUp(value: number, divisor: number): number {
  const remainder = value % divisor;
  return (value - remainder) / divisor + (remainder === 0 ? 0 : 1);
}

function parseMilliSlowly(text: string): Milli | undefined {
  const quantity = parseQuantity(text);
  if (!quantity.ok) return undefined;
  const milli = milliValue(quantity.value);
  return milli === undefined ? undefined : toMilli(milli);
}

const decimalSuffixes = ['m', '', 'k', 'M', 'G', 'T', 'P', 'E'] as const;
const binarySuffixes = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'] as const;

function formatDecimal(milli: string): string {
  let value = milli;
  let step = 0;
  while (value.endsWith('000')) {
    value = value.slice(0, -3);
    step += 1;
  }
  return `${value}${decimalSuffixes[step] ?? ''}`;
}

function formatBinary(whole: bigint): string {
  let value = whole;
  let step = 0;
  while (value % 1024n === 0n) {
    value /= 1024n;
    step += 1;
  }
  return `${value}${binarySuffixes[step] ?? ''}`;
}
