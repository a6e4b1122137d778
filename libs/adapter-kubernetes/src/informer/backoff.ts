const firstDelayMilliseconds = 250;
const maximumDelayMilliseconds = 30_000;

/** Doubling delays with jitter, so that many clients of a server that comes back do not come back together. */
export class Backoff {
  #failures = 0;

  /** The next delay in milliseconds: 250, 500, … 30,000, each times 0.5 to 1.5. @param random in [0, 1) */
  next(random: number): number {
    const delay = Math.min(firstDelayMilliseconds * 2 ** this.#failures, maximumDelayMilliseconds);
    this.#failures = Math.min(this.#failures + 1, 16);
    return Math.round(delay * (0.5 + random));
  }

  /** After a success. */
  reset(): void {
    this.#failures = 0;
  }
}
