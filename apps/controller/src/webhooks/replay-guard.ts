/** Deliveries remembered of each source: a busy repository has some hundreds of pushes a day. */
const maximumKeys = 4_096;

/** Forges repeat a delivery within hours; an older one costs a fetch that finds nothing. */
const rememberedMilliseconds = 24 * 3_600_000;

/**
 * Remembers deliveries that were verified, in bounded memory: the oldest leave first. Only verified ones enter, so
 * a sender without the secret cannot make it forget.
 */
export class ReplayGuard {
  readonly #now: () => number;
  readonly #seen = new Map<string, number>();

  /** `now` in milliseconds since 1970. */
  constructor(now: () => number) {
    this.#now = now;
  }

  get size(): number {
    return this.#seen.size;
  }

  /**
   * Whether a delivery with one of these keys was here before; a new one is remembered. Of a repetition nothing is: its
   * unsigned id may be another each time, and would push out what is known.
   */
  isRepetition(keys: readonly string[]): boolean {
    const now = this.#now();
    this.#forget(now);
    if (keys.some((key) => this.#seen.has(key))) return true;
    for (const key of keys) this.#seen.set(key, now);
    return false;
  }

  /** Keys stand in the order of their time. */
  #forget(now: number): void {
    for (const [key, time] of this.#seen) {
      if (now - time < rememberedMilliseconds && this.#seen.size < maximumKeys) return;
      this.#seen.delete(key);
    }
  }
}
