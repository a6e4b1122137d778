/**
 * Gives equal texts of many values one string. `JSON.parse` makes a string for each place where a text stands, and what
 * is kept of ten thousand policies says the same in most of them. A pool holds every text that it was given, so it goes
 * when the values are read.
 */
export class TextPool {
  readonly #texts = new Map<string, string>();

  /** An equal JSON value that shares its texts with those before. */
  share<T>(value: T): T {
    return this.#shared(value) as T;
  }

  #shared(value: unknown): unknown {
    if (typeof value === 'string') return this.#text(value);
    if (typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) return value.map((item) => this.#shared(item));
    const copy: Record<string, unknown> = { ...value };
    for (const key of Object.keys(copy)) copy[key] = this.#shared(copy[key]);
    return copy;
  }

  #text(text: string): string {
    const known = this.#texts.get(text);
    if (known !== undefined) return known;
    this.#texts.set(text, text);
    return text;
  }
}
