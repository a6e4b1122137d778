import { isJsonObject, type Json } from '#kernel';

/**
 * Applies a JSON merge patch: objects are merged, null deletes, everything else replaces.
 *
 * @see RFC 7396
 */
export function applyMergePatch(target: Json | undefined, patch: Json): Json {
  if (!isJsonObject(patch)) return patch;
  const result: Record<string, Json> = {};
  if (isJsonObject(target))
    for (const [key, value] of Object.entries(target)) if (value !== undefined) result[key] = value;

  for (const [key, value] of Object.entries(patch)) {
    if (value === null) Reflect.deleteProperty(result, key);
    else if (value !== undefined) result[key] = applyMergePatch(result[key], value);
  }
  return result;
}
