/** Characters that a terminal acts on in place of showing them, or that reorder a line. */
const unprintable = /(?!\t)[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu;

/** A text of a file that may be forged, as one line that shows all of it: control characters as `\u001b`. */
export function printable(text: string): string {
  return text.replace(
    unprintable,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
