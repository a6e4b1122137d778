/**
 * The beginning of a text: so many UTF-16 units, or one less where that would leave half of a character such as an emoji,
 * which no encoding of text has.
 */
export function cutText(text: string, maximum: number): string {
  return text.length > maximum && isFirstHalf(text.charCodeAt(maximum - 1))
    ? text.slice(0, maximum - 1)
    : text.slice(0, maximum);
}

/** Of a surrogate pair. */
function isFirstHalf(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}
