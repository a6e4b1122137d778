import { canonicalJson } from './canonical-json.ts';
import { isJsonObject, type Json } from './json.ts';

/** One place where two values differ; undefined: there is nothing at that place. */
export interface JsonDifference {
  /** JSON Pointer. */
  readonly path: string;
  readonly recorded: Json | undefined;
  readonly recomputed: Json | undefined;
}

/** All places where two JSON values differ, the deepest that explain it, in the order of their paths. */
export function jsonDifferences(
  recorded: Json | undefined,
  recomputed: Json | undefined,
  path = '',
): readonly JsonDifference[] {
  if (recorded === undefined || recomputed === undefined)
    return recorded === recomputed ? [] : [{ path, recorded, recomputed }];
  if (canonicalJson(recorded) === canonicalJson(recomputed)) return [];
  const [before, after] = [childrenOf(recorded), childrenOf(recomputed)];
  if (before === null || after === null || Array.isArray(recorded) !== Array.isArray(recomputed))
    return [{ path, recorded, recomputed }];
  const keys = [...new Set([...before.keys(), ...after.keys()])];
  return keys.flatMap((key) =>
    jsonDifferences(
      before.get(key),
      after.get(key),
      `${path}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`,
    ),
  );
}

function childrenOf(value: Json): ReadonlyMap<string, Json | undefined> | null {
  if (isJsonObject(value)) return new Map(Object.entries(value));
  if (isList(value)) return new Map(value.map((item, index) => [String(index), item]));
  return null;
}

function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}
