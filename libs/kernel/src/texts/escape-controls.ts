/** What a terminal obeys, ends lines, reorders text, or is not seen at all. */
const controls =
  /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}[\p{Default_Ignorable_Code_Point}--[\u200c\u200d\p{Variation_Selector}]]]/gv;
/**
 * What joins letters of Arabic and Indic scripts, and pictures, and chooses between their forms, is of the text there.
 * Behind any other letter it is not seen either.
 */
const idleJoiners =
  /[\u200c\u200d\p{Variation_Selector}](?<![[\p{Lo}\p{M}\p{Extended_Pictographic}\p{Emoji_Modifier}]--\p{Default_Ignorable_Code_Point}]\p{Variation_Selector}?.)/gv;

/**
 * The text with its control characters as JSON would write them (`\u001b`), line ends among them, and with those that
 * reorder text or are not seen: a terminal shows all of it as it is, on one line.
 *
 * @see https://www.unicode.org/reports/tr9/#Directional_Formatting_Characters
 * @see https://www.unicode.org/reports/tr39/#Joining_Controls
 */
export function escapeControls(text: string): string {
  return text.replace(controls, escaped).replace(idleJoiners, escaped);
}

function escaped(character: string): string {
  return character.replace(/[^]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
