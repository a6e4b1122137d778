/** What a plain scalar means, or why it means nothing here. */
export type PlainScalar =
  | { readonly kind: 'value'; readonly value: string | number | bigint | boolean | null }
  /** kubectl (YAML 1.1) and YAML 1.2 read it differently. */
  | { readonly kind: 'ambiguous' }
  /** An infinity or NaN: JSON has no such number. */
  | { readonly kind: 'notFinite' };

const ambiguous: PlainScalar = { kind: 'ambiguous' };
const notFinite: PlainScalar = { kind: 'notFinite' };

const words: ReadonlyMap<string, PlainScalar> = new Map([
  ...entries(['', '~', 'null', 'Null', 'NULL'], { kind: 'value', value: null }),
  ...entries(['true', 'True', 'TRUE'], { kind: 'value', value: true }),
  ...entries(['false', 'False', 'FALSE'], { kind: 'value', value: false }),
  ...entries(['y', 'Y', 'n', 'N'], ambiguous),
  ...entries(['yes', 'Yes', 'YES', 'no', 'No', 'NO', 'on', 'On', 'ON', 'off', 'Off', 'OFF'], ambiguous),
  ...entries(['.inf', '.Inf', '.INF', '+.inf', '+.Inf', '+.INF', '-.inf', '-.Inf', '-.INF'], notFinite),
  ...entries(['.nan', '.NaN', '.NAN'], notFinite),
]);

function entries(texts: readonly string[], meaning: PlainScalar): (readonly [string, PlainScalar])[] {
  return texts.map((text) => [text, meaning]);
}

const mayBeNumber = /^[-+.\d]/;
const decimal = /^[-+]?(?:\.\d+|\d+(?:\.\d*)?)(?:[eE][-+]?\d+)?$/;
const whole = /^[-+]?\d+$/;
const based = /^[-+]?0(?:x[\da-f]+|o[0-7]+|b[01]+)$/i;
/** A 0 before further digits: octal to one reader, decimal to the other. */
const leadingZero = /^[-+]?0[\d_]/;
const longExponent = /[eE][-+]?\d{3,}$/;
const plainBase = /^0[xo]/;
/** The longest number: 300 digits stay below what a float holds, beyond which kubectl reads text. */
const numberMaximum = 300;
const maximumUint64 = 2n ** 64n - 1n;

/**
 * What kubectl and YAML 1.2 both read a plain scalar as; where they differ it is ambiguous.
 *
 * `6.0` is 6, `2026-11-20` and `12:30` are text, `0x1F` is 31; `yes`, `1_000`, `010`, `0b1`, `-0x1F`, `1e400` are
 * ambiguous. A whole number that a float cannot hold is a bigint.
 */
export function resolvePlain(text: string): PlainScalar {
  const word = words.get(text);
  if (word !== undefined) return word;
  return mayBeNumber.test(text) ? resolveNumber(text) : { kind: 'value', value: text };
}

function resolveNumber(text: string): PlainScalar {
  // kubectl drops underscores; from a number that begins with its point only those between digits.
  const digits = text.replaceAll(text.startsWith('.') ? /(?<=\d)_(?=\d)/g : '_', '');
  const isBased = based.test(digits);
  if (!isBased && !decimal.test(digits)) return { kind: 'value', value: text };
  if (digits !== text || longExponent.test(text) || text.length > numberMaximum) return ambiguous;
  if (isBased) return resolveBased(text);
  if (leadingZero.test(text)) return ambiguous;
  return {
    kind: 'value',
    value: whole.test(text) ? wholeValue(BigInt(text.replace('+', ''))) : withoutSign(Number(text)),
  };
}

/** Octal and hexadecimal without sign and in lower case; a number over 64 bits is text to kubectl. */
function resolveBased(text: string): PlainScalar {
  if (!plainBase.test(text)) return ambiguous;
  const value = BigInt(text);
  return value > maximumUint64 ? ambiguous : { kind: 'value', value: wholeValue(value) };
}

function wholeValue(value: bigint): number | bigint {
  const number = Number(value);
  const isExact = Number.isSafeInteger(number);
  return isExact || value > maximumUint64 || value < -maximumUint64 ? withoutSign(number) : value;
}

/** JSON cannot distinguish -0 from 0. */
function withoutSign(number: number): number {
  return number === 0 ? 0 : number;
}
