/** Of query texts. Their documents and the code that is compiled of them take some 250 bytes a character. */
const maximumCharacters = 128 * 1024;

/** What a text counts beside its characters: the shortest has a document and code of its own, too. */
const charactersEach = 256;

/**
 * Bounds what the server keeps of query texts by their length: it counts texts, and how long they are is up to callers.
 * Texts that were known from the start are few, and count nothing.
 */
export class KeptQueries {
  readonly #known: ReadonlySet<string>;
  readonly #texts = new Set<string>();
  #characters = 0;

  constructor(known: Iterable<string>) {
    this.#known = new Set(known);
  }

  /** Counts a text that will be kept, and lets `forget` drop everything that is kept where it would be too much. */
  note(text: string, forget: () => void): void {
    if (this.#known.has(text) || this.#texts.has(text)) return;
    const added = text.length + charactersEach;
    if (this.#characters + added > maximumCharacters) {
      forget();
      this.#texts.clear();
      this.#characters = 0;
    }
    this.#texts.add(text);
    this.#characters += added;
  }
}
