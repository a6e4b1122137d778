/** No zone is further from UTC, nor has two changes of its offset so near to each other. */
const dayMilliseconds = 86_400_000;

/**
 * The local times of a time zone (IANA). A local time is written as milliseconds since 1970, as if it were UTC.
 */
export class TimeZone {
  readonly #format: Intl.DateTimeFormat;

  /** @throws RangeError where no such zone is known */
  constructor(name: string) {
    this.#format = new Intl.DateTimeFormat('en-US', {
      timeZone: name,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
  }

  /** The local time at a time in milliseconds since 1970. */
  localOf(time: number): number {
    return time + this.#offsetAt(time);
  }

  /**
   * Where the clocks of the zone skip a local time, the time in milliseconds since 1970 at which they do: the first after
   * the gap. Null: they show it.
   */
  endOfGapAt(local: number): number | null {
    const before = this.#offsetAt(local - dayMilliseconds);
    const after = this.#offsetAt(local + dayMilliseconds);
    // Read by the offset of after the change it is before the change, and the other way round.
    let [from, until] = [local - after, local - before];
    if (from >= until || this.#offsetAt(from) !== before || this.#offsetAt(until) !== after) return null;
    while (until - from > 1) {
      const middle = Math.floor((from + until) / 2);
      if (this.#offsetAt(middle) === before) from = middle;
      else until = middle;
    }
    return until;
  }

  /** How far the zone is ahead of UTC, in milliseconds. */
  #offsetAt(time: number): number {
    const shown = new Map(this.#format.formatToParts(time).map(({ type, value }) => [type, Number(value)]));
    const part = (type: Intl.DateTimeFormatPartTypes): number => shown.get(type) ?? 0;
    const day = [part('year'), part('month') - 1, part('day')] as const;
    const local = Date.UTC(...day, part('hour'), part('minute'), part('second'));
    return local - Math.floor(time / 1_000) * 1_000;
  }
}
