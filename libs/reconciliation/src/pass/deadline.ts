import type { ClockPort } from '../ports/clock.port.ts';

/** Thrown where the wait for something ends at a {@link Deadline}. */
export class DeadlineExceeded extends Error {
  override readonly name = 'DeadlineExceeded';
}

/**
 * The end of the time that something may take. What waits through {@link Deadline.race} stops waiting at the deadline, also on
 * a port that never answers, and nothing after it runs: so no straggler acts on a policy that is another pass's by
 * then.
 */
export class Deadline {
  readonly milliseconds: number;
  readonly #controller = new AbortController();
  readonly #expired: Promise<never>;
  readonly #cancel: () => void;

  constructor(clock: ClockPort, milliseconds: number) {
    this.milliseconds = milliseconds;
    const { promise, reject } = Promise.withResolvers<never>();
    // Where nothing waits at that moment, the rejection must not end the process.
    promise.catch(() => undefined);
    this.#expired = promise;
    this.#cancel = clock.schedule(milliseconds, () => {
      reject(new DeadlineExceeded(`no end within ${milliseconds} ms`));
      this.#controller.abort();
    });
  }

  /** For ports: aborted at the deadline. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** The promise's value, or {@link DeadlineExceeded} when the deadline comes first. */
  async race<T>(promise: Promise<T>): Promise<T> {
    if (this.signal.aborted) {
      promise.catch(() => undefined);
      return this.#expired;
    }
    return Promise.race([promise, this.#expired]);
  }

  /** Ends the wait without a deadline; must be called when the work is done. */
  clear(): void {
    this.#cancel();
  }
}
