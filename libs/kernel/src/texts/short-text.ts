import { cutText } from './cut-text.ts';

/** A text of at most so many UTF-16 units: one that is longer is cut, and ends with `…`. @param maximum at least 1 */
export function shortText(text: string, maximum: number): string {
  return text.length <= maximum ? text : `${cutText(text, maximum - 1)}…`;
}
