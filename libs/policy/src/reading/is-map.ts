import { SpelledNumber } from './spelled-number.ts';

/** Whether a value is a map; says nothing about its keys. */
export function isMap(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null) return false;
  return !Array.isArray(value) && !(value instanceof SpelledNumber);
}
