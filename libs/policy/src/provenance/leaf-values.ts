import { isJsonObject, type Json } from '#kernel';

/** Keys and list indexes from a document's root. */
export type ValuePath = readonly (string | number)[];

/** One value that holds no others, an empty list or map included. */
export interface LeafValue {
  readonly path: ValuePath;
  readonly value: Json;
}

/** The leaves of a value in its own order, which storing it as JSON keeps. */
export function leafValues(value: Json, path: ValuePath = []): readonly LeafValue[] {
  const leaves: LeafValue[] = [];
  addLeaves(value, path, leaves);
  return leaves;
}

function addLeaves(value: Json, path: ValuePath, leaves: LeafValue[]): void {
  const before = leaves.length;
  if (Array.isArray(value)) {
    const items: readonly Json[] = value;
    for (const [index, item] of items.entries()) addLeaves(item, [...path, index], leaves);
  } else if (isJsonObject(value)) {
    for (const key of Object.keys(value)) {
      const part = value[key];
      if (part !== undefined) addLeaves(part, [...path, key], leaves);
    }
  }
  if (leaves.length === before) leaves.push({ path, value });
}

/** What stands at a path; undefined: nothing, or null. */
export function valueAt(value: Json, path: ValuePath): Json | undefined {
  let found: Json | undefined = value;
  for (const key of path) {
    if (Array.isArray(found)) found = typeof key === 'number' ? (found as readonly Json[])[key] : undefined;
    else found = isJsonObject(found) && Object.hasOwn(found, key) ? found[key] : undefined;
  }
  return found ?? undefined;
}
