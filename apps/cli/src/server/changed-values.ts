import { isJsonObject, type JsonObject } from '#kernel';

/** More are told by their number: this is a part of a line. */
const mostValues = 3;
const mostCharacters = 60;

/** What differs between two documents, by its path: `mode Act → Observe, limits.pods none → 6`; empty: nothing does. */
export function changedValues(before: JsonObject, after: JsonObject): string {
  const changes = [...changesBetween(before, after, '')];
  const more = changes.length - mostValues;
  return [...changes.slice(0, mostValues), ...(more > 0 ? [`${more} more`] : [])].join(', ');
}

function* changesBetween(before: JsonObject, after: JsonObject, place: string): Generator<string> {
  for (const key of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const [from, to] = [before[key], after[key]];
    const path = `${place}${key}`;
    if (isJsonObject(from) && isJsonObject(to)) yield* changesBetween(from, to, `${path}.`);
    else if (JSON.stringify(from) !== JSON.stringify(to)) yield `${path} ${shown(from)} → ${shown(to)}`;
  }
}

function shown(value: unknown): string {
  if (value === undefined) return 'none';
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length <= mostCharacters ? text : `${text.slice(0, mostCharacters - 1)}…`;
}
