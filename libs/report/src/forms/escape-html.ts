import { escapeControls } from '#kernel';

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/**
 * Text that stands for itself in HTML, in quoted attributes, too. What reorders it or is not seen is shown as terminals
 * have it, `\u202e`, and half of a surrogate pair, which UTF-8 has no bytes for, as `�`.
 */
export function escapeHtml(text: string): string {
  return escapeControls(text.toWellFormed()).replace(
    /[&<>"']/g,
    (character) => entities[character] ?? character,
  );
}
