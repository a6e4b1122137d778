import { type LabelRequirements, matchesLabels } from './parse-label-selector.ts';

export interface Labelled {
  readonly labels?: Readonly<Record<string, string>> | null | undefined;
}

/** Selectors use a handful of keys; beyond this many the objects are scanned. */
const maximumKeys = 32;

type ByValue<T> = Map<string, Set<T>>;

/**
 * Objects found by label selector. A key is indexed when a selector first asks for it, so
 * unused labels cost nothing.
 */
export class LabelIndex<T extends Labelled> {
  readonly #objects = new Set<T>();
  readonly #keys = new Map<string, ByValue<T>>();

  /** Whether nothing is left in it. */
  get isEmpty(): boolean {
    return this.#objects.size === 0;
  }

  add(object: T): void {
    this.#objects.add(object);
    for (const [key, byValue] of this.#keys) put(byValue, valueOf(object, key), object);
  }

  remove(object: T): void {
    this.#objects.delete(object);
    for (const [key, byValue] of this.#keys) {
      const value = valueOf(object, key);
      const objects = value === undefined ? undefined : byValue.get(value);
      objects?.delete(object);
      if (value !== undefined && objects?.size === 0) byValue.delete(value);
    }
  }

  /** The objects whose labels match, in any order. */
  select(requirements: LabelRequirements): readonly T[] {
    const selected: T[] = [];
    for (const object of this.#candidates(requirements))
      if (matchesLabels(requirements, object.labels ?? {})) selected.push(object);

    return selected;
  }

  /** The smallest set that an equality of the selector leaves, else everything. */
  #candidates(requirements: LabelRequirements): Iterable<T> {
    let best: ReadonlySet<T> = this.#objects;
    for (const requirement of requirements) {
      if (requirement.operator !== 'In' || requirement.values.length !== 1) continue;
      const byValue = this.#byValue(requirement.key);
      if (byValue === undefined) continue;
      const found = byValue.get(requirement.values[0] ?? '') ?? new Set<T>();
      if (found.size < best.size) best = found;
    }
    return best;
  }

  #byValue(key: string): ByValue<T> | undefined {
    const known = this.#keys.get(key);
    if (known !== undefined || this.#keys.size >= maximumKeys) return known;
    const byValue: ByValue<T> = new Map();
    for (const object of this.#objects) put(byValue, valueOf(object, key), object);
    this.#keys.set(key, byValue);
    return byValue;
  }
}

function valueOf(object: Labelled, key: string): string | undefined {
  const labels = object.labels ?? {};
  return Object.hasOwn(labels, key) ? labels[key] : undefined;
}

function put<T>(byValue: ByValue<T>, value: string | undefined, object: T): void {
  if (value === undefined) return;
  const objects = byValue.get(value) ?? new Set();
  byValue.set(value, objects.add(object));
}
