import { setTimeout } from 'node:timers/promises';

/** Soon enough for a scaling that waits for it, and seldom enough for a database that comes up. */
const delayMilliseconds = 500;

/** When an append whose answer was lost is sent again: until the process ends. */
export class AppendRetry {
  readonly #ending = new AbortController();

  /** Waits before the next attempt; false: there is none. */
  async wait(): Promise<boolean> {
    try {
      await setTimeout(delayMilliseconds, undefined, { signal: this.#ending.signal });
      return true;
    } catch {
      return false;
    }
  }

  /** No append is sent again from now on, so that the process can end while the database does not answer. */
  end(): void {
    this.#ending.abort();
  }
}
