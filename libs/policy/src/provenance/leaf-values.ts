import { isJsonObject, type Json } from '#kernel';

/** Keys and list indexes from a document's root. */
export type ValuePath = readonly (string | number)[];

/** One value that holds no others, an empty list or map included. */
export interface LeafValue {
  readonly path: ValuePath;
  readonly value: Json;
}

/** The leaves of a value in its own order, which storing it as JSON keeps. */
export function* leafValues(value: Json, path: ValuePath = []): Generator<LeafValue, void> {
  const parts = partsOf(value);
  if (parts.length === 0) yield { path, value };
  for (const [key, part] of parts) yield* leafValues(part, [...path, key]);
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

function partsOf(value: Json): readonly (readonly [string | number, Json])[] {
  if (Array.isArray(value)) return (value as readonly Json[]).map((item, index) => [index, item] as const);
  if (!isJsonObject(value)) return [];
  return Object.entries(value).flatMap(([key, part]) => (part === undefined ? [] : [[key, part] as const]));
}
