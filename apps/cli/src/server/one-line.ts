import { messageOf } from '#kernel';

/** A longer text is no line of a message any more. */
const maximumCharacters = 2_000;

/** A text of another program's as messages have it: on one line, and without what a terminal would obey. */
export function onOneLine(text: string): string {
  const line = text.replaceAll(/[\s\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]+/gu, ' ').trim();
  return line.length > maximumCharacters ? `${line.slice(0, maximumCharacters)}…` : line;
}

/** Why there was no answer; where every address of a name was tried, the errors have a code and no text. */
export function reasonOf(error: unknown): string {
  const { cause, code } = error as NodeJS.ErrnoException;
  if (cause !== undefined) return reasonOf(cause);
  return onOneLine(messageOf(error) || code || 'no reason is known');
}
