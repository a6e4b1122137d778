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
  if (typeof value === 'number') return canonicalNumber(value);
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (isList(value)) return `[${value.map((item) => canonicalJson(item)).join(',')}]`;
  return canonicalObject(value);
}

function isList(value: JsonObject | readonly Json[]): value is readonly Json[] {
  return Array.isArray(value);
}

function canonicalNumber(value: number): string {
  if (!Number.isFinite(value)) throw new TypeError(`no JSON text for the number ${String(value)}`);
  return JSON.stringify(value);
}

function canonicalObject(value: JsonObject): string {
  const parts: string[] = [];
  for (const key of Object.keys(value).sort()) {
    const item = value[key];
    if (item !== undefined) parts.push(`${JSON.stringify(key)}:${canonicalJson(item)}`);
  }
  return `{${parts.join(',')}}`;
}
