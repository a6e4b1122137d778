/** Requests to look at the configuration, as SIGHUP makes them; one that comes before anything listens is kept. */
export class ReloadRequests {
  #listener: (() => void) | undefined;
  #isWaiting = false;

  readonly request = (): void => {
    if (this.#listener === undefined) this.#isWaiting = true;
    else this.#listener();
  };

  /** Calls the listener for each request, at once where one waits; returns what ends it. */
  readonly onRequest = (listener: () => void): (() => void) => {
    this.#listener = listener;
    if (this.#isWaiting) listener();
    this.#isWaiting = false;
    return () => (this.#listener = undefined);
  };
}
