import type { ClockPort } from '../ports/clock.port.ts';

/** What clocks that run alike may differ by, in milliseconds: drift, and the small steps that correct it. */
export const maximumStepMilliseconds = 5_000;

export interface SettledTimeOptions {
  /** What two looks may find the clocks apart by, and the time of day is believed all the same. */
  readonly maximumJumpMilliseconds: number;
  /** So long a time of day that has jumped must stay so, by the monotonic clock, to be believed. */
  readonly settlingMilliseconds: number;
  /** `Forward`: a time of day that was set back is believed at once. */
  readonly doubts: 'Forward' | 'Either';
}

/** That the time of day has jumped, and is not believed yet. */
export interface ClockDoubt {
  /** How far it is ahead of the time that is believed; negative: behind. */
  readonly jumpMilliseconds: number;
  /** When that was seen first, in milliseconds since 1970 by the clock as it goes. */
  readonly since: number;
  /** When it will be believed, likewise. */
  readonly believedAt: number;
}

/** How far the time of day was ahead of the monotonic clock when it was first seen so, and when that was. */
interface Sighting {
  readonly offset: number;
  readonly at: number;
}

/**
 * The time of day for what must not follow from a clock that is wrong for a moment. One that has jumped against the
 * monotonic clock counts only once it has stayed so for long enough; until then time goes on as before. What it finds when
 * it is made it believes. A clock that wanders off by less than a jump between two looks is followed.
 */
export class SettledTime {
  readonly #clock: Pick<ClockPort, 'now' | 'monotonicMilliseconds'>;
  readonly #options: SettledTimeOptions;
  /** How far the time of day is ahead of the monotonic clock, as far as it is believed, in milliseconds. */
  #offset: number;
  #doubted: Sighting | null = null;

  constructor(clock: Pick<ClockPort, 'now' | 'monotonicMilliseconds'>, options: SettledTimeOptions) {
    this.#clock = clock;
    this.#options = options;
    this.#offset = Date.parse(clock.now()) - clock.monotonicMilliseconds();
  }

  /** Whole milliseconds since 1970. */
  now(): number {
    this.#look();
    return Math.floor(this.#clock.monotonicMilliseconds() + this.#offset);
  }

  /** Null: the time of day is believed. The same for as long as it is in doubt. */
  doubt(): ClockDoubt | null {
    this.#look();
    if (this.#doubted === null) return null;
    const { offset, at } = this.#doubted;
    return {
      jumpMilliseconds: Math.round(offset - this.#offset),
      since: Math.round(offset + at),
      believedAt: Math.round(offset + at + this.#options.settlingMilliseconds),
    };
  }

  #look(): void {
    const at = this.#clock.monotonicMilliseconds();
    const offset = Date.parse(this.#clock.now()) - at;
    const doubted = this.#isJump(offset - this.#offset) ? this.#sightingOf({ offset, at }) : null;
    const isSettled = doubted !== null && at - doubted.at >= this.#options.settlingMilliseconds;
    this.#doubted = isSettled ? null : doubted;
    if (this.#doubted === null) this.#offset = offset;
  }

  #isJump(milliseconds: number): boolean {
    const distance = this.#options.doubts === 'Forward' ? milliseconds : Math.abs(milliseconds);
    return distance > this.#options.maximumJumpMilliseconds;
  }

  /** A time of day that has jumped once more begins anew. */
  #sightingOf(seen: Sighting): Sighting {
    const former = this.#doubted;
    if (former === null) return seen;
    return Math.abs(seen.offset - former.offset) <= this.#options.maximumJumpMilliseconds ? former : seen;
  }
}
