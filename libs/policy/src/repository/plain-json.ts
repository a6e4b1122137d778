import type { Json } from '#kernel';

/**
 * A value read from YAML as JSON that every reader keeps exactly: whole numbers beyond 2⁵³ become text, which every
 * field that takes them takes too.
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
      return value === null ? null : plainObject(value);
    case 'undefined':
    case 'symbol':
    case 'function':
      return null;
  }
}

function plainObject(value: object): Json {
  if (Array.isArray(value)) return value.map(plainJson);
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, plainJson(item)]));
}
