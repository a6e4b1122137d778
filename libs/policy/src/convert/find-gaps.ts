import type { Pair } from 'yaml';

/** What is between two entries that stay. */
export interface Gap {
  readonly previous?: Pair;
  readonly next?: Pair;
  readonly removed: readonly Pair[];
  readonly added: readonly Pair[];
}

/** Compares a map's entries before and after; undefined where entries that stay have changed their order. */
export function findGaps(
  before: readonly Pair[],
  after: readonly Pair[],
  isEditable: (pair: Pair) => boolean,
): readonly Gap[] | undefined {
  const kept = after.filter((pair) => before.includes(pair) && isEditable(pair));
  const places = kept.map((pair) => before.indexOf(pair));
  if (places.some((place, index) => index > 0 && place < (places[index - 1] ?? 0))) return undefined;
  return [...kept, undefined].map((next, index): Gap => {
    const previous = kept[index - 1];
    return {
      ...(previous === undefined ? {} : { previous }),
      ...(next === undefined ? {} : { next }),
      removed: between(before, previous, next),
      added: between(after, previous, next),
    };
  });
}

function between(
  pairs: readonly Pair[],
  previous: Pair | undefined,
  next: Pair | undefined,
): readonly Pair[] {
  const from = previous === undefined ? 0 : pairs.indexOf(previous) + 1;
  return pairs.slice(from, next === undefined ? pairs.length : pairs.indexOf(next));
}
