import type { Json } from '#kernel';

/**
 * A value read from YAML as JSON that every reader keeps exactly: whole numbers beyond 2⁵³ become text, which every
 * field that takes them takes too. What is JSON already stays the same object: most values are, and they are kept.
 */
export function plainJson(value: unknown): Json {
  switch (typeof value) {
    case 'bigint':
      return value.toString();
    case 'string':
    case 'number':
    case 'boolean':
      return value;
    case 'object':
      return plainObject(value);
    case 'undefined':
    case 'symbol':
    case 'function':
      return null;
  }
}

function plainObject(value: object | null): Json {
  if (value === null) return null;
  return Array.isArray(value) ? plainList(value) : plainMap(value);
}

function plainList(list: readonly unknown[]): Json {
  const items = list.map(plainJson);
  return items.every((item, index) => item === list[index]) ? (list as readonly Json[]) : items;
}

function plainMap(map: object): Json {
  const before: readonly (readonly [string, unknown])[] = Object.entries(map);
  const after = before.map(([key, item]) => [key, plainJson(item)] as const);
  const isSame = after.every(([, item], index) => item === before[index]?.[1]);
  return isSame ? (map as Json) : Object.fromEntries(after);
}
