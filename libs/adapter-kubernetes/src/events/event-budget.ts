import type { Timing } from '../time/timing.ts';

/** As client-go's spam filter: 25 events of one object at once, then one in five minutes. */
const burst = 25;
const refillMilliseconds = 5 * 60_000;
const maximumSubjects = 10_000;

interface Bucket {
  readonly tokens: number;
  readonly at: number;
}

/** How many events each object may still have. */
export class EventBudget {
  readonly #timing: Timing;
  readonly #buckets = new Map<string, Bucket>();

  constructor(timing: Timing) {
    this.#timing = timing;
  }

  /** Takes one from the subject's budget; false where nothing is left. */
  take(subject: string): boolean {
    const now = this.#timing.elapsed();
    const bucket = this.#buckets.get(subject) ?? { tokens: burst, at: now };
    const tokens = Math.min(burst, bucket.tokens + (now - bucket.at) / refillMilliseconds);
    this.#buckets.delete(subject);
    if (this.#buckets.size >= maximumSubjects) {
      const [oldest] = this.#buckets.keys();
      if (oldest !== undefined) this.#buckets.delete(oldest);
    }
    this.#buckets.set(subject, { tokens: tokens < 1 ? tokens : tokens - 1, at: now });
    return tokens >= 1;
  }
}
