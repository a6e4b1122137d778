import type { Timing } from './timing.ts';

/** What bounds a cache. */
export interface TtlCacheOptions {
  readonly timing: Timing;
  /** The oldest entry goes when one more comes. */
  readonly maximumEntries: number;
}

/** A value that was loaded, and for how long it may be used. */
export interface Loaded<T> {
  readonly value: T;
  readonly lifetimeMilliseconds: number;
}

/** Since the start, but for the entries, which are those there are now. */
export interface CacheCounts {
  /** Answered by what was kept. */
  readonly hits: number;
  readonly misses: number;
  /** Dropped because they were out of date, or to make room. */
  readonly evictions: number;
  readonly entries: number;
}

interface Entry<T> {
  readonly value: T;
  readonly until: number;
  readonly generation: number;
}

interface Loading<T> {
  readonly value: Promise<T>;
  readonly generation: number;
}

/** Keeps what was loaded for a while. Concurrent misses of one key load once; a failure rejects all of them and is not kept. */
export class TtlCache<T> {
  readonly #timing: Timing;
  readonly #maximumEntries: number;
  readonly #entries = new Map<string, Entry<T>>();
  readonly #loading = new Map<string, Loading<T>>();
  #generation = 0;
  #hits = 0;
  #misses = 0;
  #evictions = 0;

  constructor({ timing, maximumEntries }: TtlCacheOptions) {
    this.#timing = timing;
    this.#maximumEntries = maximumEntries;
  }

  /** The value that is kept, else the one that `load` gives; with a generation, no value that began to load before it. */
  get(key: string, load: () => Promise<Loaded<T>>, since = 0): Promise<T> {
    const entry = this.#entries.get(key);
    if (entry !== undefined && entry.generation >= since && this.#timing.elapsed() < entry.until) {
      this.#hits += 1;
      return Promise.resolve(entry.value);
    }
    this.#misses += 1;
    const running = this.#loading.get(key);
    if (running !== undefined && running.generation >= since) return running.value;
    return this.#begin(key, load);
  }

  /** Begins a generation: a caller that passes it gets nothing older, and callers that do not lose nothing. */
  advance(): number {
    this.#generation += 1;
    return this.#generation;
  }

  /** Drops what is out of date; to be called now and then. */
  sweep(): void {
    const now = this.#timing.elapsed();
    for (const [key, { until }] of this.#entries) if (until <= now) this.#evict(key);
  }

  get counts(): CacheCounts {
    const { size: entries } = this.#entries;
    return { hits: this.#hits, misses: this.#misses, evictions: this.#evictions, entries };
  }

  #begin(key: string, load: () => Promise<Loaded<T>>): Promise<T> {
    const generation = this.#generation;
    const value = this.#load(key, load, generation).finally(() => {
      if (this.#loading.get(key)?.generation === generation) this.#loading.delete(key);
    });
    this.#loading.set(key, { value, generation });
    return value;
  }

  #evict(key: string): void {
    this.#entries.delete(key);
    this.#evictions += 1;
  }

  async #load(key: string, load: () => Promise<Loaded<T>>, generation: number): Promise<T> {
    const { value, lifetimeMilliseconds } = await load();
    if ((this.#entries.get(key)?.generation ?? 0) > generation) return value;
    this.#entries.delete(key);
    if (this.#entries.size >= this.#maximumEntries) {
      const [oldest] = this.#entries.keys();
      if (oldest !== undefined) this.#evict(oldest);
    }
    this.#entries.set(key, { value, until: this.#timing.elapsed() + lifetimeMilliseconds, generation });
    return value;
  }
}
