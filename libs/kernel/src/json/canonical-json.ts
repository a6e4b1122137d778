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
  const ordered = inOrder(value);
  return ordered === undefined ? textOf(value) : JSON.stringify(ordered);
}

/**
 * The value with keys in canonical order, in which the engine writes them, several times as fast as texts are put
 * together; what is in order is not copied. Undefined: the engine would write it otherwise.
 */
function inOrder(value: Json | undefined): Json | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? value : undefined;
  if (typeof value !== 'object' || value === null) return value;
  return isList(value) ? listInOrder(value) : objectInOrder(value);
}

function listInOrder(list: readonly Json[]): readonly Json[] | undefined {
  let copy: Json[] | null = null;
  for (let index = 0; index < list.length; index += 1) {
    const item = list[index];
    const ordered = inOrder(item);
    if (ordered === undefined) return undefined;
    if (copy === null && ordered !== item) copy = [...list];
    if (copy !== null) copy[index] = ordered;
  }
  return copy ?? list;
}

function objectInOrder(object: JsonObject): JsonObject | undefined {
  const keys = Object.keys(object);
  if (!areSorted(keys)) {
    sortKeys(keys);
    return keys.some(isListedByItself) ? undefined : withKeys(object, { keys, from: 0 });
  }
  for (let index = 0; index < keys.length; index += 1) {
    const item = object[keys[index] ?? ''];
    const ordered = inOrder(item);
    if (ordered === undefined && item !== undefined) return undefined;
    if (ordered === item) continue;
    return Object.hasOwn(object, '__proto__') ? undefined : withKeys(object, { keys, from: index });
  }
  return object;
}

/** A copy with the keys in this order; the members before `from` are in order. */
function withKeys(
  object: JsonObject,
  { keys, from }: { readonly keys: readonly string[]; readonly from: number },
): JsonObject | undefined {
  const copy: Record<string, Json | undefined> = {};
  for (let index = 0; index < keys.length; index += 1) {
    const key = keys[index] ?? '';
    const item = object[key];
    const ordered = index < from ? item : inOrder(item);
    if (ordered === undefined && item !== undefined) return undefined;
    copy[key] = ordered;
  }
  return copy;
}

/** As many are sorted by insertion: the engine's own way makes lists beside them, which were half of all that is allocated here. */
const fewKeys = 32;

function sortKeys(keys: string[]): void {
  if (keys.length > fewKeys) {
    keys.sort();
    return;
  }
  for (let index = 1; index < keys.length; index += 1) {
    const key = keys[index] ?? '';
    let place = index;
    for (; place > 0 && (keys[place - 1] ?? '') > key; place -= 1) keys[place] = keys[place - 1] ?? '';
    keys[place] = key;
  }
}

function areSorted(keys: readonly string[]): boolean {
  for (let index = 1; index < keys.length; index += 1)
    if ((keys[index - 1] ?? '') >= (keys[index] ?? '')) return false;
  return true;
}

/** Few keys begin with a digit, and an expression that is tried on every key makes garbage. */
const nine = '9'.charCodeAt(0);

/** Keys that have a place of their own in an object, wherever they are put: numbers, which come first, and its prototype. */
function isListedByItself(key: string): boolean {
  return key === '__proto__' || (key.charCodeAt(0) <= nine && /^\d+$/.test(key));
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
