/** What waits for its answer, by number; no `Map`, for the reason that {@link UnderWay} gives. */
export class PendingTable<V> {
  #values = newTable<V>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  has(id: number): boolean {
    return id in this.#values;
  }

  /** @param id is not in the table yet. */
  add(id: number, value: V): void {
    this.#values[id] = value;
    this.#size += 1;
  }

  /** Takes the value out; undefined: there is none. */
  take(id: number): V | undefined {
    const value = this.#values[id];
    if (value === undefined) return undefined;
    Reflect.deleteProperty(this.#values, id);
    this.#size -= 1;
    return value;
  }

  /** Takes all values out, in the order of their numbers. */
  takeAll(): readonly V[] {
    const all = Object.values(this.#values);
    this.#values = newTable();
    this.#size = 0;
    return all;
  }
}

function newTable<V>(): Record<number, V> {
  return Object.create(null) as Record<number, V>;
}
