/** The calls of one tick: whoever asks for the same thing gets the same answer, or the same failure. */
export class SharedCalls {
  readonly #calls = new Map<string, Promise<unknown>>();

  /** Calls once a key; the caller keeps keys of one type of answer apart. */
  once<T>(key: string, call: () => Promise<T>): Promise<T> {
    const known = this.#calls.get(key) as Promise<T> | undefined;
    if (known !== undefined) return known;
    const started = call();
    this.#calls.set(key, started);
    return started;
  }
}
