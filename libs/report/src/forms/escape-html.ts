const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Text that stands for itself in HTML, in quoted attributes, too. Control and bidirectional characters are shown as `�`. */
export function escapeHtml(text: string): string {
  return text
    .replace(/[&<>"']/g, (character) => entities[character] ?? character)
    .replace(/[\p{Cc}\u202a-\u202e\u2066-\u2069\p{Cs}]/gu, '\uFFFD');
}
