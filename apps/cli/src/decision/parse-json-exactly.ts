import { parseQuantity } from '#kernel';

/** Digits that a float64 always holds. */
const safeDigits = 15;

/**
 * Parses JSON as `JSON.parse` does, but keeps a number that float64 would change as the text it was written as: a
 * quantity may be text, so `9007199254740993` stays exact. Numbers that are floats by their meaning stay numbers.
 *
 * @throws SyntaxError where the text is not JSON
 */
export function parseJsonExactly(text: string): unknown {
  return hasLongNumber(text) ? JSON.parse(text, keepExact) : JSON.parse(text);
}

/**
 * Whether there are more digits in a row, points among them, than are always safe. Such a run covers one of every
 * sixteenth characters, so only those are looked at.
 */
function hasLongNumber(text: string): boolean {
  for (let at = safeDigits; at < text.length; at += safeDigits + 1) {
    if (!isDigitOrPoint(text.charCodeAt(at))) continue;
    let from = at;
    while (isDigitOrPoint(text.charCodeAt(from - 1))) from -= 1;
    let to = at + 1;
    while (isDigitOrPoint(text.charCodeAt(to))) to += 1;
    if (to - from > safeDigits) return true;
  }
  return false;
}

function isDigitOrPoint(code: number): boolean {
  return (code >= 48 && code <= 57) || code === 46;
}

function keepExact(key: string, value: unknown, context?: { readonly source?: string }): unknown {
  const source = context?.source;
  if (typeof value !== 'number' || source === undefined || key === 'tolerance' || key === 'factor')
    return value;
  const written = parseQuantity(source);
  const kept = parseQuantity(value);
  if (!written.ok) return value;
  const isSame =
    kept.ok &&
    kept.value.mantissa === written.value.mantissa &&
    kept.value.exponent === written.value.exponent;
  return isSame ? value : source;
}
