import { AdapterError } from '#kernel';
import type { ClockPort } from '#reconciliation';

/** Sources and people are fewer than that; more is a client gone wild, and is asked to come back. */
const maximumWaiting = 1_000;

/** How long a piece of work waits for its turn, and what it is told beyond that. */
export interface TurnWait {
  readonly clock: Pick<ClockPort, 'schedule'>;
  readonly milliseconds: number;
  /** In a sentence. */
  readonly message: string;
}

/** Pieces of work that take turns: each begins when the one before has ended, whatever it came to. */
export class SerialQueue {
  #last: Promise<unknown> = Promise.resolve();
  #waiting = 0;

  /**
   * Does the work in its turn; without `wait` it waits for as long as it takes.
   *
   * @throws what the work throws; AdapterError `Busy` where too much waits already, `TurnTimeout` where the turn did not
   *   come in time: then the work is never begun.
   */
  async run<T>(work: () => Promise<T>, wait?: TurnWait): Promise<T> {
    if (this.#waiting >= maximumWaiting) {
      const message = `${maximumWaiting} requests wait already`;
      throw new AdapterError({ code: 'Busy', message, retryable: true });
    }
    this.#waiting += 1;
    const start = wait === undefined ? undefined : limitedStart(wait);
    const turn = this.#last
      .then(() => {
        start?.begin();
        return work();
      })
      .finally(() => {
        this.#waiting -= 1;
      });
    this.#last = turn.catch(() => undefined);
    return start === undefined ? turn : Promise.race([turn, start.missed]);
  }
}

interface LimitedStart {
  /** @throws AdapterError where it is too late */
  readonly begin: () => void;
  /** Never resolves; rejects once it is too late. */
  readonly missed: Promise<never>;
}

function limitedStart({ clock, milliseconds, message }: TurnWait): LimitedStart {
  const error = new AdapterError({ code: 'TurnTimeout', message, retryable: true });
  const { promise: missed, reject } = Promise.withResolvers<never>();
  let isMissed = false;
  const cancel = clock.schedule(milliseconds, () => {
    isMissed = true;
    reject(error);
  });
  const begin = (): void => {
    cancel();
    if (isMissed) throw error;
  };
  return { begin, missed };
}
