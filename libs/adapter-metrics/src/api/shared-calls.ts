/** The calls of one tick: equal calls are sent once, and share the answer or the failure. */
export class SharedCalls {
  readonly #calls = new Map<string, Promise<unknown>>();

  /** Calls once per key; keys of different types of answer must differ. */
  once<T>(key: string, call: () => Promise<T>): Promise<T> {
    const known = this.#calls.get(key) as Promise<T> | undefined;
    if (known !== undefined) return known;
    const started = call();
    this.#calls.set(key, started);
    return started;
  }
}
