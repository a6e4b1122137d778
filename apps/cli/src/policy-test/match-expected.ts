import { isJsonObject, type Json, type JsonObject, shortText } from '#kernel';
import { showValue, suggest } from '#policy';

/** A value that came out differently from what was expected. */
export interface Mismatch {
  /** Into what was expected: keys and list indexes. */
  readonly path: readonly (string | number)[];
  readonly want: Json;
  /** Absent: the decision has no such value. */
  readonly got?: Json;
  readonly message: string;
}

/**
 * Compares a decision with what a test expects of it. Of a map only the fields that are named count; of a list, the
 * items that are named must be found in that order, and others may stand between them. An empty list is an empty list.
 */
export function matchExpected(expected: JsonObject, decision: JsonObject): readonly Mismatch[] {
  return compare(expected, decision, []);
}

type Path = readonly (string | number)[];

function compare(want: Json, got: Json | undefined, path: Path): readonly Mismatch[] {
  if (isJsonObject(want) && isJsonObject(got)) return compareMaps(want, got, path);
  if (Array.isArray(want) && Array.isArray(got)) return compareLists(want, got, path);
  if (want === got) return [];
  const seen = got === undefined ? 'nothing' : shown(got);
  return [{ path, want, ...(got !== undefined && { got }), message: `want ${shown(want)}, got ${seen}` }];
}

function compareMaps(want: JsonObject, got: JsonObject, path: Path): readonly Mismatch[] {
  return Object.entries(want).flatMap(([key, value]): readonly Mismatch[] => {
    if (value === undefined) return [];
    if (Object.hasOwn(got, key)) return compare(value, got[key], [...path, key]);
    const meant = suggest(key, Object.keys(got));
    const hint = meant === undefined ? `it has ${Object.keys(got).join(', ')}` : `did you mean ${meant}?`;
    const message = `want ${shown(value)}, got nothing: there is no ${showValue(key)} (${hint})`;
    return [{ path: [...path, key], want: value, message }];
  });
}

function compareLists(want: readonly Json[], got: readonly Json[], path: Path): readonly Mismatch[] {
  if (want.length === 0 && got.length > 0) return [{ path, want: [], got: [...got], message: tooMany(got) }];
  let from = 0;
  for (const [index, item] of want.entries()) {
    const found = got.findIndex((each, at) => at >= from && compare(item, each, path).length === 0);
    if (found < 0) return notFound(item, { got, from, path: [...path, index] });
    from = found + 1;
  }
  return [];
}

function tooMany(got: readonly Json[]): string {
  return `want an empty list, got ${got.length} items: ${shown([...got])}`;
}

/** Reports the item that comes closest, where one is of the same sort (type, rule, name). */
function notFound(
  want: Json,
  { got, from, path }: { got: readonly Json[]; from: number; path: Path },
): readonly Mismatch[] {
  const rest = got.slice(from);
  const near = rest.find((each) => isAlike(want, each));
  if (near !== undefined) return compare(want, near, path);
  const where = from === 0 ? 'no item' : 'no later item';
  return [{ path, want, message: `want ${shown(want)}, got ${where} like it in ${shown([...rest])}` }];
}

const sorts = ['type', 'rule', 'name', 'pod'] as const;

function isAlike(want: Json, got: Json): boolean {
  if (!isJsonObject(want) || !isJsonObject(got)) return false;
  const named = sorts.filter((key) => want[key] !== undefined);
  return named.length > 0 && named.every((key) => want[key] === got[key]);
}

/** Longer values are cut: the waterfall beside them has the rest. */
const shownMaximum = 160;

function shown(value: Json): string {
  return shortText(JSON.stringify(value), shownMaximum);
}
