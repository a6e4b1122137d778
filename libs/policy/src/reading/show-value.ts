import { shortText } from '#kernel';
import { SpelledNumber } from './spelled-number.ts';

/** Longer values say nothing more in a message. */
const maximumLength = 60;

/** A value as it stands in a message: on one line, cut at 60 characters. Never throws, whatever the value. */
export function showValue(value: unknown): string {
  return shortText(textOf(value), maximumLength);
}

/** What a value is, in the words of YAML: `a string`, `a map`, `null`. */
export function typeName(value: unknown): string {
  if (value instanceof SpelledNumber) return 'a number spelled so';
  if (value === null || value === undefined) return 'null';
  if (Array.isArray(value)) return 'a list';
  switch (typeof value) {
    case 'string':
      return 'a string';
    case 'boolean':
      return 'a boolean';
    case 'number':
    case 'bigint':
      return 'a number';
    default:
      return 'a map';
  }
}

function textOf(value: unknown): string {
  if (value instanceof SpelledNumber) return value.text;
  switch (typeof value) {
    case 'string':
      return JSON.stringify(value.slice(0, maximumLength));
    case 'number':
    case 'boolean':
    case 'bigint':
      return String(value);
    default:
      return typeName(value);
  }
}
