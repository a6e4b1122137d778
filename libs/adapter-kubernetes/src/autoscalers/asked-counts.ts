import type { Timing } from '../time/timing.ts';

/** Longer than between two passes of nearly all policies: a pass accounts for what was scaled since the last one. */
const keptMilliseconds = 5 * 60_000;
/** Counts kept of one HPA, the latest; the native controller looks once in 15 s. */
const maximumCounts = 32;

interface Asked {
  readonly count: number;
  /** When it was replaced by another, in milliseconds of `Timing.elapsed`; undefined: it stands. */
  readonly until: number | undefined;
}

/** What the native controller asked for of late, by HPA. */
export class AskedCounts {
  readonly #timing: Pick<Timing, 'elapsed'>;
  /** Oldest first. */
  readonly #counts = new Map<string, readonly Asked[]>();

  constructor(timing: Pick<Timing, 'elapsed'>) {
    this.#timing = timing;
  }

  /** Notes what an HPA's status asks for; null: it has none, or there is no such HPA any more. */
  note(key: string, count: number | null): void {
    const known = this.#counts.get(key) ?? [];
    if (count === null) {
      this.#counts.delete(key);
      return;
    }
    const last = known.at(-1);
    if (last?.count === count) return;
    const now = this.#timing.elapsed();
    const ended = known.map((asked) => ({ ...asked, until: asked.until ?? now }));
    const kept = ended.filter(({ until }) => now - until < keptMilliseconds);
    this.#counts.set(key, [...kept, { count, until: undefined }].slice(-maximumCounts));
  }

  /** The counts that were asked for within the last five minutes, the one that stands included. */
  lately(key: string): ReadonlySet<number> {
    const now = this.#timing.elapsed();
    const asked = this.#counts.get(key) ?? [];
    return new Set(
      asked
        .filter(({ until }) => until === undefined || now - until < keptMilliseconds)
        .map(({ count }) => count),
    );
  }
}
