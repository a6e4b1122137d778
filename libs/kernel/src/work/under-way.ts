interface Item<T> {
  readonly value: T;
  index: number;
}

/**
 * What is under way, in no order: a set for what comes and goes by the thousand, and refers to much while it is there. A
 * `Map` or a `Set` makes a new table with every few changes, and V8 lets each old table refer to the next: once one of them
 * is in the old generation, whatever later ones held lives until the next full collection, with all that it refers to. An
 * array links nothing.
 */
export class UnderWay<T> implements Iterable<T> {
  readonly #items: Item<T>[] = [];

  get size(): number {
    return this.#items.length;
  }

  /** Puts it in, until the function is called, which may be called again. */
  add(value: T): () => void {
    const item = { value, index: this.#items.length };
    this.#items.push(item);
    return () => this.#remove(item);
  }

  /** What is in it at the beginning, also of what is taken out meanwhile. */
  [Symbol.iterator](): Iterator<T> {
    return this.#items.map(({ value }) => value).values();
  }

  /** The last takes its place. */
  #remove(item: Item<T>): void {
    if (this.#items[item.index] !== item) return;
    const last = this.#items.pop();
    if (last === undefined || last === item) return;
    last.index = item.index;
    this.#items[item.index] = last;
  }
}
