import type { Configuration } from '#configuration';

/** Keys that are remembered; beyond them the half that was seen the longest ago is forgotten. Some 2 MB. */
const maximumKeys = 10_000;

/** How many requests at once stand for so many seconds' worth: a page of a console, or a script that begins. */
const burstSeconds = 5;

/** What a request is too many of. */
export type RateLimit = 'Caller' | 'Address';

export interface RequestRatesOptions {
  readonly rates: Configuration['listen']['requestsPerSecond'];
  /** Monotonic, in milliseconds. For tests. */
  readonly now?: () => number;
}

/** Bounds how many requests per second each person and each address may make, whatever comes of them. */
export class RequestRates {
  readonly #buckets: Readonly<Record<RateLimit, TokenBuckets>>;
  readonly #limited = new Map<RateLimit, number>();

  constructor({ rates, now = () => performance.now() }: RequestRatesOptions) {
    this.#buckets = {
      Caller: new TokenBuckets(rates.perCaller, now),
      Address: new TokenBuckets(rates.perAddress, now),
    };
  }

  /** How many requests were turned away since the start. */
  get limited(): ReadonlyMap<RateLimit, number> {
    return this.#limited;
  }

  /** Whether the request may go on; it counts against the key either way. */
  admits(limit: RateLimit, key: string): boolean {
    if (this.#buckets[limit].take(key)) return true;
    this.#limited.set(limit, (this.#limited.get(limit) ?? 0) + 1);
    return false;
  }
}

interface Bucket {
  tokens: number;
  time: number;
}

/** A token bucket per key. What is turned away costs nothing, so that who goes on asking gets its rate. */
class TokenBuckets {
  readonly #perSecond: number;
  readonly #now: () => number;
  /** Seen since the last change of the two, and before: nothing is moved in a map with each request. */
  #recent = new Map<string, Bucket>();
  #before = new Map<string, Bucket>();

  constructor(perSecond: number, now: () => number) {
    this.#perSecond = perSecond;
    this.#now = now;
  }

  take(key: string): boolean {
    const time = this.#now();
    const full = this.#perSecond * burstSeconds;
    const bucket = this.#bucketOf(key) ?? this.#remember(key, { tokens: full, time });
    bucket.tokens = Math.min(full, bucket.tokens + ((time - bucket.time) / 1_000) * this.#perSecond);
    bucket.time = time;
    if (bucket.tokens < 1) return false;
    bucket.tokens -= 1;
    return true;
  }

  #bucketOf(key: string): Bucket | undefined {
    const recent = this.#recent.get(key);
    if (recent !== undefined) return recent;
    const before = this.#before.get(key);
    return before && this.#remember(key, before);
  }

  #remember(key: string, bucket: Bucket): Bucket {
    if (this.#recent.size >= maximumKeys / 2) {
      this.#before = this.#recent;
      this.#recent = new Map();
    }
    this.#recent.set(key, bucket);
    return bucket;
  }
}
