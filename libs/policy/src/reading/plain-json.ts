import type { Json } from '#kernel';
import { quantityFields } from './quantities.ts';

/** Maps of texts below `spec`, whose keys may have the name of a quantity. */
const textMaps: ReadonlySet<string> = new Set(['matchLabels', 'settings']);

/**
 * A value read from YAML as JSON. A whole number beyond 2⁵³ becomes text where a quantity stands, which is the same
 * quantity, and the nearest number elsewhere: of a policy nothing takes it there, and `inexactIntegers` finds it. What
 * is JSON already stays the same object: most values are, and they are kept.
 */
export function plainJson(value: unknown): Json {
  return plainValue(value, { isBelowSpec: false, key: '' });
}

/** Where the whole numbers stand that {@link plainJson} cannot keep. */
export function inexactIntegers(value: unknown): readonly (readonly (string | number)[])[] {
  if (!holdsBigint(value)) return [];
  const found: (readonly (string | number)[])[] = [];
  const visit = (each: unknown, place: Place, path: readonly (string | number)[]): void => {
    if (typeof each === 'bigint' && !isQuantity(place)) found.push(path);
    else if (Array.isArray(each))
      for (const [index, item] of each.entries()) visit(item, place, [...path, index]);
    else if (typeof each === 'object' && each !== null)
      for (const [key, item] of Object.entries(each)) visit(item, placeIn(place, key), [...path, key]);
  };
  visit(value, { isBelowSpec: false, key: '' }, []);
  return found;
}

/** Nearly no document does, and this is cheaper than following the paths. */
function holdsBigint(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return typeof value === 'bigint';
  return Object.values(value).some(holdsBigint);
}

interface Place {
  readonly isBelowSpec: boolean;
  /** The nearest key, and the one around it. */
  readonly key: string;
  readonly parent?: string;
}

function placeIn({ isBelowSpec, key: parent }: Place, key: string): Place {
  return { isBelowSpec: isBelowSpec || (parent === '' && key === 'spec'), key, parent };
}

function isQuantity({ isBelowSpec, key, parent = '' }: Place): boolean {
  return isBelowSpec && quantityFields.has(key) && !textMaps.has(parent);
}

function plainValue(value: unknown, place: Place): Json {
  switch (typeof value) {
    case 'bigint':
      return isQuantity(place) ? value.toString() : Number(value);
    case 'string':
    case 'number':
    case 'boolean':
      return value;
    case 'object':
      return plainObject(value, place);
    case 'undefined':
    case 'symbol':
    case 'function':
      return null;
  }
}

function plainObject(value: object | null, place: Place): Json {
  if (value === null) return null;
  return Array.isArray(value) ? plainList(value, place) : plainMap(value, place);
}

function plainList(list: readonly unknown[], place: Place): Json {
  const items = list.map((item) => plainValue(item, place));
  return items.every((item, index) => item === list[index]) ? (list as readonly Json[]) : items;
}

function plainMap(map: object, place: Place): Json {
  const before: readonly (readonly [string, unknown])[] = Object.entries(map);
  const after = before.map(([key, item]) => [key, plainValue(item, placeIn(place, key))] as const);
  const isSame = after.every(([, item], index) => item === before[index]?.[1]);
  return isSame ? (map as Json) : Object.fromEntries(after);
}
