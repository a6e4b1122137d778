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
