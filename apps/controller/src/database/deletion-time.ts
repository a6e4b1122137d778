import { AdapterError } from '#kernel';
import { type ClockPort, SettledTime } from '#reconciliation';

const hourMilliseconds = 3_600_000;

/** A clock that is ahead of the database's by more is wrong, or the database's is. */
const maximumAheadMilliseconds = hourMilliseconds;

/** Of the error that says so. */
export const clockAhead = 'ClockAhead';

/**
 * The time of day by which something is deleted that does not come back: a clock that is ahead must not let everything go.
 * One that was set forward by more than an hour counts only once it has stayed so for six hours; one that was set back, at
 * once. A process that began with a clock that is ahead has nothing of its own to doubt it by: the database's counts where
 * it is earlier.
 */
export class DeletionTime {
  readonly #settled: SettledTime;
  readonly #databaseTime: () => Promise<number | null>;

  /** @param of.databaseTime the time at the database's server, in milliseconds since 1970; null: it has no clock but this machine's. */
  constructor(of: {
    readonly clock: Pick<ClockPort, 'now' | 'monotonicMilliseconds'>;
    readonly databaseTime: () => Promise<number | null>;
  }) {
    this.#databaseTime = of.databaseTime;
    this.#settled = new SettledTime(of.clock, {
      maximumJumpMilliseconds: hourMilliseconds,
      settlingMilliseconds: 6 * hourMilliseconds,
      doubts: 'Forward',
    });
  }

  /** Whether the clock was set forward, and is not believed yet. */
  get isDoubted(): boolean {
    return this.#settled.doubt() !== null;
  }

  /** Whole milliseconds since 1970. @throws AdapterError where the database does not answer */
  async now(): Promise<number> {
    const theirs = await this.#databaseTime();
    return Math.min(this.#settled.now(), theirs ?? Number.POSITIVE_INFINITY);
  }

  /** @throws AdapterError `ClockAhead` where it is later here than at the database by more than an hour */
  async requireTimeOfDatabase(): Promise<void> {
    const theirs = await this.#databaseTime();
    const own = this.#settled.now();
    if (theirs === null || own - theirs <= maximumAheadMilliseconds) return;
    throw new AdapterError({
      code: clockAhead,
      message: `it is ${timeText(own)} here, and ${timeText(theirs)} at the database: one of the clocks is wrong`,
      retryable: true,
    });
  }
}

function timeText(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}
