import { AdapterError } from '../outcomes/adapter-error.ts';

/** More than this waiting means that what is called is down: failing at once is then the better answer. */
const maximumWaiting = 20_000;

/** Lets a bounded number of calls run at the same time; the others wait in the order they came. */
export class Semaphore {
  readonly #maximum: number;
  readonly #waiting: Waiter[] = [];
  #head = 0;
  #running = 0;

  /** @param maximum calls at a time, at least 1 */
  constructor(maximum: number) {
    this.#maximum = maximum;
  }

  /**
   * Runs the call as soon as there is a place for it. A call whose signal is aborted while it waits gives up its place.
   *
   * @throws AdapterError `Overloaded` (retryable) when too many wait already; the signal's reason.
   */
  async run<T>(signal: AbortSignal, call: () => Promise<T>): Promise<T> {
    if (this.#running >= this.#maximum) await this.#wait(signal);
    else this.#running += 1;
    try {
      return await call();
    } finally {
      this.#release();
    }
  }

  async #wait(signal: AbortSignal): Promise<void> {
    // One that is aborted tells nobody any more.
    signal.throwIfAborted();
    if (this.#waiting.length - this.#head >= maximumWaiting) {
      const message = `${maximumWaiting} calls are waiting already`;
      throw new AdapterError({ code: 'Overloaded', message, retryable: true });
    }
    const { promise, resolve, reject } = Promise.withResolvers<undefined>();
    const onAbort = (): void => reject(signal.reason as Error);
    signal.addEventListener('abort', onAbort, { once: true });
    this.#waiting.push({ start: () => resolve(undefined), signal });
    try {
      await promise;
    } finally {
      signal.removeEventListener('abort', onAbort);
    }
  }

  #release(): void {
    for (let next = this.#next(); next !== undefined; next = this.#next()) {
      if (next.signal.aborted) continue;
      next.start();
      return;
    }
    this.#running -= 1;
  }

  /** The queue is compacted only when half of it is used up, so that a long one costs no quadratic time. */
  #next(): Waiter | undefined {
    const next = this.#waiting[this.#head];
    if (next === undefined) return undefined;
    this.#head += 1;
    if (this.#head * 2 > this.#waiting.length) {
      this.#waiting.splice(0, this.#head);
      this.#head = 0;
    }
    return next;
  }
}

interface Waiter {
  readonly start: () => void;
  readonly signal: AbortSignal;
}
