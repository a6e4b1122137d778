import { escapeControls } from '#kernel';

/** Colours, and what a table and its lines are made of. */
const obeyed = /(\u001B\[[\d;]*m|[\n\t])/;

/** A text of a file that may be forged, as one line that shows all of it: control characters as `\u001b`. */
export function printable(text: string): string {
  return text.replace(/[^\t]+/g, escapeControls);
}

/**
 * A text for a person's terminal, which obeys nothing of it but colours, and shows it in the order in which it is: what it
 * says was written by others.
 */
export function printableLines(text: string): string {
  const parts = text.split(obeyed);
  return parts.map((part, at) => (at % 2 === 1 ? part : escapeControls(part))).join('');
}

const lineParts = /[\t\n\v\f\r]+/g;

/**
 * A value for {@link printableLines} to show a part of: each of its texts is on one line, with its control characters as
 * `\u001b`, so that the lines and colours that are printed are our own.
 */
export function printableTexts<T>(value: T): T {
  return mapTexts(value, (text) => escapeControls(text.replace(lineParts, ' '))) as T;
}

function mapTexts(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') return change(value);
  if (Array.isArray(value)) return value.map((each) => mapTexts(each, change));
  if (!isPlainObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, mapTexts(each, change)]));
}

function isPlainObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}
