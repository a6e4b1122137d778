import { AdapterError, isJsonObject, type JsonObject } from '#kernel';

/** An object field, or an empty object. */
export function object(value: unknown): JsonObject {
  return isJsonObject(value) ? value : {};
}

/** A list field's items, or none. What is no object counts as an empty one: left out, it would lower a sum. */
export function objects(value: unknown): readonly JsonObject[] {
  if (!Array.isArray(value)) return [];
  return value.every(isJsonObject) ? value : value.map(object);
}

/** A string field, or the empty text. */
export function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** Far longer than any number that a metrics API writes; what parses it must not be given a megabyte. */
export const maximumQuantityLength = 100;

/** A quantity as sent: a number or a text of bounded length; anything else is no quantity, and does not parse as one. */
export function quantity(value: unknown): string | number {
  if (typeof value === 'number') return value;
  return typeof value === 'string' && value.length <= maximumQuantityLength ? value : '';
}

/** A time as sent, of bounded length: what is longer is no time, cut or not. */
export function time(value: unknown): string {
  return text(value).slice(0, maximumTimeLength);
}

const maximumTimeLength = 64;

/**
 * The items of a list, as what they became when they arrived; without those that could not be read.
 *
 * @throws AdapterError `Partial` where the server has more of them: a part of the load would look like all of it.
 */
export function items(value: unknown): readonly unknown[] {
  const list = object(value);
  if (text(object(list['metadata'])['continue']) !== '')
    throw new AdapterError({ code: 'Partial', message: 'the list is incomplete', retryable: true });

  const mapped: unknown = list['items'];
  if (!Array.isArray(mapped)) return [];
  return mapped.includes(null) ? (mapped as readonly unknown[]).filter((item) => item !== null) : mapped;
}
