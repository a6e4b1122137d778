import { type Json, type JsonObject, shortText } from '#kernel';
import { compareDocuments } from '#policy/compare-documents';

/** More are told by their number: this is a part of a line. */
const mostValues = 3;
const mostCharacters = 60;

/** What differs between two documents, by its path: `mode Act → Observe, limits.pods none → 6`; empty: nothing does. */
export function changedValues(before: JsonObject, after: JsonObject): string {
  const changes = compareDocuments(before, after);
  const told = changes.slice(0, mostValues).map(({ path, ...sides }) => {
    return `${path} ${shown(sides.before)} → ${shown(sides.after)}`;
  });
  const more = changes.length - told.length;
  return [...told, ...(more > 0 ? [`${more} more`] : [])].join(', ');
}

function shown(value: Json | undefined): string {
  if (value === undefined) return 'none';
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return shortText(text, mostCharacters);
}
