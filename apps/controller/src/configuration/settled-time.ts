import type { ClockPort } from '#reconciliation';

/** A time of day that goes on further than this beyond the monotonic clock between two looks was set forward. */
const maximumJumpMilliseconds = 3_600_000;
/** So long it must stay so, by the monotonic clock, to be believed. */
const settlingMilliseconds = 6 * 3_600_000;

/**
 * The time of day by which something is deleted that does not come back: a clock that is ahead for a moment must not let
 * everything go. One that was set forward counts only once it has stayed so for six hours; one that was set back, at once.
 * What a process finds at its start it believes.
 */
export class SettledTime {
  readonly #clock: Pick<ClockPort, 'now' | 'monotonicMilliseconds'>;
  /** How far the time of day is ahead of the monotonic clock, as far as it is believed, in milliseconds. */
  #offset: number;
  /** When it was first seen further ahead, in milliseconds of the monotonic clock; null: it is not. */
  #doubtedAt: number | null = null;

  constructor(clock: Pick<ClockPort, 'now' | 'monotonicMilliseconds'>) {
    this.#clock = clock;
    this.#offset = Date.parse(clock.now()) - clock.monotonicMilliseconds();
  }

  /** Whole milliseconds since 1970. */
  now(): number {
    this.isDoubted();
    return Math.floor(this.#clock.monotonicMilliseconds() + this.#offset);
  }

  /** Whether the clock was set forward, and has not stayed so for long enough. */
  isDoubted(): boolean {
    const now = this.#clock.monotonicMilliseconds();
    const offset = Date.parse(this.#clock.now()) - now;
    if (offset - this.#offset <= maximumJumpMilliseconds) this.#doubtedAt = null;
    else this.#doubtedAt ??= now;
    if (this.#doubtedAt !== null && now - this.#doubtedAt >= settlingMilliseconds) this.#doubtedAt = null;
    if (this.#doubtedAt === null) this.#offset = offset;
    return this.#doubtedAt !== null;
  }
}
