/** The latest activities that are remembered of one tick. */
const maximumActivities = 20;

/** What the main thread did lately: what has begun since the last look, and what takes many turns and is under way. */
export class LoopActivities {
  readonly #begun = new Set<string>();
  readonly #underWay = new Map<symbol, string>();

  /** Something begins that may hold the thread: `POST /graphql`, `sweep`, `sync: surveying the tree`. */
  readonly note = (activity: string): void => {
    if (this.#begun.size < maximumActivities) this.#begun.add(activity);
  };

  /** Something begins that takes many turns of the loop, until it is settled: `sync of policies`. */
  readonly during = async <T>(activity: string, work: () => Promise<T>): Promise<T> => {
    const key = Symbol(activity);
    this.#underWay.set(key, activity);
    try {
      return await work();
    } finally {
      this.#underWay.delete(key);
    }
  };

  /** What has begun since the last call, and what is under way. */
  take(): { readonly begun: readonly string[]; readonly underWay: readonly string[] } {
    const underWay = [...this.#underWay.values()].slice(0, maximumActivities);
    const begun = [...this.#begun];
    this.#begun.clear();
    return { begun, underWay };
  }
}
