/** Keys that are remembered: more than there are forges and callers, and some 100 kB. */
const maximumKeys = 1_024;

/**
 * Counts per key of the last while, in bounded memory: beyond 1,024 keys the one that was seen the longest ago is
 * forgotten.
 */
export class RecentCounts {
  readonly #lifetimeMilliseconds: number;
  readonly #now: () => number;
  /** In the order of their times. */
  readonly #seen = new Map<string, { readonly time: number; readonly count: number }>();

  /** `now` is monotonic, in milliseconds. */
  constructor(lifetimeMilliseconds: number, now: () => number) {
    this.#lifetimeMilliseconds = lifetimeMilliseconds;
    this.#now = now;
  }

  /** How often the key was added without a pause as long as the lifetime. */
  count(key: string): number {
    const seen = this.#seen.get(key);
    return seen !== undefined && this.#now() - seen.time < this.#lifetimeMilliseconds ? seen.count : 0;
  }

  add(key: string): void {
    const count = this.count(key) + 1;
    this.#seen.delete(key);
    this.#seen.set(key, { time: this.#now(), count });
    const [oldest] = this.#seen.keys();
    if (this.#seen.size > maximumKeys && oldest !== undefined) this.#seen.delete(oldest);
  }
}
