import { isJsonObject, type Json, type JsonObject } from '#kernel';
import { isSameValue } from '../diff/compare-documents.ts';
import { setOwn } from '../reading/set-own.ts';

/** Values to fill in, and where they come from. */
export interface DefaultsLayer<S> {
  readonly source: S;
  readonly values: JsonObject;
}

/** Two layers of one rank that set a field differently. */
export interface DefaultsConflict<S> {
  readonly path: readonly string[];
  readonly sources: readonly [S, S];
}

/** A `spec` with its defaults. */
export interface MergedSpec<S> {
  readonly spec: JsonObject;
  /** Where a field comes from; `undefined`: from the document, or from nowhere. */
  readonly originOf: (path: readonly (string | number)[]) => S | undefined;
  /** The fields of `spec` that were filled in, wholly or in part, each with the first that did. */
  readonly filled: ReadonlyMap<string, S>;
  readonly conflicts: readonly DefaultsConflict<S>[];
}

/**
 * Fills in what a policy's `spec` leaves out: field by field through maps, lists as a whole; the nearest rank wins, and
 * null is absent. Layers of one rank that differ in a field that nothing nearer sets are a conflict; quantities differ by
 * value.
 */
export function mergeDefaults<S>(
  spec: JsonObject,
  ranks: readonly (readonly DefaultsLayer<S>[])[],
): MergedSpec<S> {
  const merger = new Merger<S>();
  let merged = spec;
  for (const rank of ranks) {
    let filled = merged;
    for (const layer of rank) filled = merger.fill(filled, layer, merged);
    merged = filled;
  }
  const { conflicts, filled } = merger;
  return { spec: merged, originOf: (path) => merger.originOf(path), filled, conflicts };
}

class Merger<S> {
  readonly conflicts: DefaultsConflict<S>[] = [];
  readonly filled = new Map<string, S>();
  readonly #origins = new Map<string, S>();

  /** Fills one layer in; `nearer` is what was there before its rank. */
  fill(into: JsonObject, layer: DefaultsLayer<S>, nearer: JsonObject): JsonObject {
    return this.#fillMap(into, layer.values, { layer, nearer, path: [] });
  }

  originOf(path: readonly (string | number)[]): S | undefined {
    for (let length = path.length; length > 0; length--) {
      const origin = this.#origins.get(keyOf(path.slice(0, length)));
      if (origin !== undefined) return origin;
    }
    return undefined;
  }

  #fillMap(into: JsonObject, values: JsonObject, step: Step<S>): JsonObject {
    const filled: Record<string, Json | undefined> = { ...into };
    for (const [name, value] of Object.entries(values)) {
      if (value === undefined || value === null) continue;
      const nearer = step.nearer?.[name];
      const next = { ...step, nearer: isJsonObject(nearer) ? nearer : undefined, path: [...step.path, name] };
      setOwn(filled, name, this.#fillValue(into[name], value, { ...next, isSetNearer: isSet(nearer) }));
    }
    return filled;
  }

  #fillValue(
    present: Json | undefined,
    value: Json,
    step: Step<S> & { isSetNearer: boolean },
  ): Json | undefined {
    if (isJsonObject(value) && (!isSet(present) || isJsonObject(present))) {
      const inside = isJsonObject(present) ? present : {};
      return this.#fillMap(inside, value, step);
    }
    if (!isSet(present)) {
      this.#remember(step);
      return value;
    }
    if (!step.isSetNearer && !isAlike(step.path.at(-1) ?? '', present, value)) this.#conflict(step);
    return present;
  }

  #remember({ path, layer }: Step<S>): void {
    const [field = ''] = path;
    this.#origins.set(keyOf(path), layer.source);
    if (!this.filled.has(field)) this.filled.set(field, layer.source);
  }

  #conflict({ path, layer }: Step<S>): void {
    const first = this.originOf(path);
    if (first !== undefined) this.conflicts.push({ path, sources: [first, layer.source] });
  }
}

interface Step<S> {
  readonly layer: DefaultsLayer<S>;
  /** The map at this place as it was before the layer's rank. */
  readonly nearer: JsonObject | undefined;
  readonly path: readonly string[];
}

/** Quantities are compared by value: `5` and `"5"`, and `500m` and `0.5`, are one. */
function isAlike(name: string, one: Json | undefined, other: Json | undefined): boolean {
  if (Array.isArray(one) && Array.isArray(other)) {
    const items: readonly Json[] = other;
    return one.length === items.length && one.every((item: Json, index) => isAlike(name, item, items[index]));
  }
  if (!isJsonObject(one) || !isJsonObject(other)) return isSameValue(name, one, other);
  const keys = new Set([...Object.keys(one), ...Object.keys(other)]);
  return [...keys].every((key) => isAlike(key, one[key], other[key]));
}

function isSet(value: Json | undefined): boolean {
  return value !== undefined && value !== null;
}

function keyOf(path: readonly (string | number)[]): string {
  return JSON.stringify(path);
}
