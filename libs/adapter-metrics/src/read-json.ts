import { isJsonObject, type JsonObject } from '#kernel';

/** An object field, or an empty object. */
export function object(value: unknown): JsonObject {
  return isJsonObject(value) ? value : {};
}

/** A list field's objects, or none. */
export function objects(value: unknown): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

/** A string field, or the empty text. */
export function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** A quantity as sent: text or a number; anything else is no quantity, and does not parse as one. */
export function quantity(value: unknown): string | number {
  return typeof value === 'string' || typeof value === 'number' ? value : '';
}
