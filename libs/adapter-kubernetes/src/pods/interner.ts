/**
 * Gives equal values one object. The pods of one template have equal labels, owners, containers and requests: kept once,
 * a pod costs a few hundred bytes. Values are held weakly, so those of the last pod of a template go with it.
 */
export class Interner {
  readonly #values = new Map<string, WeakRef<object>>();
  readonly #registry = new FinalizationRegistry<string>((key) => {
    if (this.#values.get(key)?.deref() === undefined) this.#values.delete(key);
  });

  /** The first value that was equal to this one; the caller must not change it. */
  intern<T extends object>(value: T): T {
    const key = JSON.stringify(value);
    const known = this.#values.get(key)?.deref() as T | undefined;
    if (known !== undefined) return known;
    this.#values.set(key, new WeakRef(value));
    this.#registry.register(value, key);
    return value;
  }

  /** Distinct values that are held. */
  get size(): number {
    return this.#values.size;
  }
}
