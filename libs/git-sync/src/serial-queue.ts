import { AdapterError } from '#kernel';

/** Sources and people are fewer than that; more is a client gone wild, and is asked to come back. */
const maximumWaiting = 1_000;

/** Pieces of work that take turns: each begins when the one before has ended, whatever it came to. */
export class SerialQueue {
  #last: Promise<unknown> = Promise.resolve();
  #waiting = 0;

  /**
   * Does the work in its turn.
   *
   * @throws what the work throws; AdapterError `Busy` where too much waits already.
   */
  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#waiting >= maximumWaiting) {
      const message = `${maximumWaiting} requests wait already`;
      throw new AdapterError({ code: 'Busy', message, retryable: true });
    }
    this.#waiting += 1;
    const turn = this.#last.then(work).finally(() => {
      this.#waiting -= 1;
    });
    this.#last = turn.catch(() => undefined);
    return turn;
  }
}
