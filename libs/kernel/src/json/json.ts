/** Any value that JSON can carry. */
export type Json = string | number | boolean | null | readonly Json[] | JsonObject;

/** A JSON object; keys absent and keys with `undefined` are the same. */
export interface JsonObject {
  readonly [key: string]: Json | undefined;
}

/** Whether a parsed JSON value is an object (not null, not a list). */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
