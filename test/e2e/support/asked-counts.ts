/** A change of a target's count, as the API server made it. */
export interface CountChange {
  readonly target: string;
  readonly from: number;
  readonly to: number;
  /** Milliseconds since 1970. */
  readonly at: number;
}

interface AskedCount {
  readonly count: number;
  readonly at: number;
}

/** Which counts a load has asked for, of all targets alike: each is reached before the next one is asked for. */
export class AskedCounts {
  readonly #asked: AskedCount[];

  /** With the count that the targets have before anything is asked for. */
  constructor(count: number) {
    this.#asked = [{ count, at: Number.NEGATIVE_INFINITY }];
  }

  /** Notes what is asked for from now on. */
  ask(count: number): void {
    this.#asked.push({ count, at: Date.now() });
  }

  /** The changes that led to a count that the load never asked for, and that is none on the way: sentences. */
  accidentsIn(changes: readonly CountChange[]): readonly string[] {
    return changes.flatMap(({ target, from, to, at }) => {
      // What is asked for last may have been asked for while the change was made.
      const asked = this.#asked.filter((each) => each.at <= at).slice(-2);
      const counts = asked.map(({ count }) => count);
      const isAsked = to >= Math.min(...counts) && to <= Math.max(...counts);
      return isAsked ? [] : [`${target}: ${from} → ${to}, and the load asked for ${counts.join(', then ')}`];
    });
  }
}
