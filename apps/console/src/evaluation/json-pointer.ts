import { isJsonObject, type Json, type JsonObject } from '#kernel';

/** The value that a JSON Pointer names; undefined: there is none. */
export function valueAt(value: Json | undefined, pointer: string): Json | undefined {
  let found = value;
  for (const part of partsOf(pointer)) found = childOf(found, part);
  return found;
}

/**
 * A copy with another value at the pointer's place; what is not on the way there is shared. Undefined where the parent
 * is not there: a change to a pod that is gone changes nothing.
 */
export function replacedAt(value: JsonObject, pointer: string, replacement: Json): JsonObject | undefined {
  const replaced = replacePart(value, partsOf(pointer), replacement);
  return isJsonObject(replaced) ? replaced : undefined;
}

/** The pointer of a field below another. */
export function pointerTo(parent: string, ...names: readonly (string | number)[]): string {
  return names.reduce<string>(
    (pointer, name) => `${pointer}/${String(name).replaceAll('~', '~0').replaceAll('/', '~1')}`,
    parent,
  );
}

function partsOf(pointer: string): readonly string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
}

function replacePart(
  value: Json | undefined,
  [part, ...rest]: readonly string[],
  replacement: Json,
): Json | undefined {
  if (part === undefined) return replacement;
  const child = replacePart(childOf(value, part), rest, replacement);
  if (child === undefined) return undefined;
  // A computed key is an own property, `__proto__` too.
  if (isJsonObject(value)) return { ...value, [part]: child };
  return isList(value) && Number(part) < value.length ? value.with(Number(part), child) : undefined;
}

function childOf(value: Json | undefined, part: string): Json | undefined {
  if (isJsonObject(value)) return Object.hasOwn(value, part) ? value[part] : undefined;
  return isList(value) && /^\d+$/.test(part) ? value[Number(part)] : undefined;
}

function isList(value: Json | undefined): value is readonly Json[] {
  return Array.isArray(value);
}
