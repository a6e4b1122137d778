import type { Json, JsonObject } from './json.ts';

/**
 * The one text of a JSON value: keys sorted by UTF-16 code unit, no white space, ECMAScript number form.
 * Keys whose value is `undefined` are left out. Equal values give equal bytes, which is what a hash needs.
 *
 * @throws TypeError on a number that JSON has no text for (NaN, infinity): a caller's bug, since every value
 *   that comes from outside has passed a parser.
 * @see RFC 8785 (JSON Canonicalization Scheme)
 */
export function canonicalJson(value: Json): string {
  // What was read from a canonical text is in order already, and the engine writes it four times as fast.
  return isInOrder(value) ? JSON.stringify(value) : textOf(value);
}

/** Whether the engine's own text is the canonical one: it writes keys in the order in which it lists them. */
function isInOrder(value: Json | undefined): boolean {
  if (typeof value === 'number') return Number.isFinite(value);
  if (typeof value !== 'object' || value === null) return value !== undefined;
  if (isList(value)) return value.every((item) => isInOrder(item));
  let previous: string | null = null;
  for (const key of Object.keys(value)) {
    if ((previous !== null && key <= previous) || !isInOrder(value[key])) return false;
    previous = key;
  }
  return true;
}

function textOf(value: Json): string {
  if (typeof value === 'number') return canonicalNumber(value);
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (isList(value)) return `[${value.map((item) => textOf(item)).join(',')}]`;
  return textOfObject(value);
}

function isList(value: JsonObject | readonly Json[]): value is readonly Json[] {
  return Array.isArray(value);
}

function canonicalNumber(value: number): string {
  if (!Number.isFinite(value)) throw new TypeError(`no JSON text for the number ${String(value)}`);
  return JSON.stringify(value);
}

function textOfObject(value: JsonObject): string {
  const parts: string[] = [];
  for (const key of Object.keys(value).sort()) {
    const item = value[key];
    if (item !== undefined) parts.push(`${JSON.stringify(key)}:${textOf(item)}`);
  }
  return `{${parts.join(',')}}`;
}
