/** Longer names are not compared: none of ours is that long, and the comparison is quadratic. */
const maximumLength = 64;

/** Shorter names begin too many others. */
const minimumPrefix = 4;

/**
 * The known name that a mistyped one most likely means: the same in another letter case, the only one that begins with
 * it, or one at most two edits away.
 */
export function suggest(given: string, known: Iterable<string>): string | undefined {
  if (given.length > maximumLength) return undefined;
  const names = [...known];
  const longer = given.length < minimumPrefix ? [] : beginningWith(given, names);
  if (longer.length === 1) return longer[0];
  let best: string | undefined;
  let bestDistance = Math.min(3, Math.ceil(given.length / 2));
  for (const name of names) {
    if (name.toLowerCase() === given.toLowerCase()) return name;
    const distance = editDistance(given.toLowerCase(), name.toLowerCase());
    if (distance < bestDistance) {
      best = name;
      bestDistance = distance;
    }
  }
  return best;
}

function beginningWith(given: string, names: readonly string[]): readonly string[] {
  return names.filter((name) => name.toLowerCase().startsWith(given.toLowerCase()));
}

/** Insertions, deletions, replacements and swaps of neighbours (optimal string alignment). */
function editDistance(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const change = at(last, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1);
      let cost = Math.min(at(last, j) + 1, at(row, j - 1) + 1, change);
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      if (isSwap) cost = Math.min(cost, at(beforeLast, j - 2) + 1);
      row.push(cost);
    }
    beforeLast = last;
    last = row;
  }
  return at(last, b.length);
}

function at(row: readonly number[], index: number): number {
  return row[index] ?? Number.POSITIVE_INFINITY;
}
