/** So many take their turn before the loop goes on to what else waits. */
const perTurn = 20;

/** Spreads work over turns of the loop, so that an event for a thousand subscribers does not hold it. */
export class Turns {
  readonly #waiting: (() => void)[] = [];
  #left = perTurn;
  #isDue = false;

  /** Resolves when there is room. In the order of the calls. */
  take(): Promise<void> {
    if (!this.#isDue) {
      this.#isDue = true;
      setImmediate(() => this.#next());
    }
    if (this.#left > 0) {
      this.#left -= 1;
      return Promise.resolve();
    }
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
    });
  }

  #next(): void {
    const now = this.#waiting.splice(0, perTurn);
    this.#left = perTurn - now.length;
    this.#isDue = now.length > 0;
    if (this.#isDue) setImmediate(() => this.#next());
    for (const resolve of now) resolve();
  }
}
