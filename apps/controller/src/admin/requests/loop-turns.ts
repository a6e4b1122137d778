import { Semaphore } from '#kernel';
import type { ClockPort } from '#reconciliation';

/** Those that wait end with their requests' deadlines. */
const { signal: never } = new AbortController();

/**
 * Lets questions that look through all policies take turns, also those of one request: a piece of one of them, then
 * whatever else waits for the event loop. Each in slices of its own, forty at a time would hold it as long as forty slices.
 */
export class LoopTurns {
  readonly #clock: Pick<ClockPort, 'nextTurn'>;
  readonly #place = new Semaphore(1);

  constructor(clock: Pick<ClockPort, 'nextTurn'>) {
    this.#clock = clock;
  }

  /** Does a piece of work, some milliseconds, in a turn of its own. */
  take<T>(piece: () => Promise<T>): Promise<T> {
    return this.#place.run(never, async () => {
      const done = await piece();
      await this.#clock.nextTurn();
      return done;
    });
  }
}
