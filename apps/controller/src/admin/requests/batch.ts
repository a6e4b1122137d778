/** What waits for the next read. */
interface Waiting<Q, A> extends PromiseWithResolvers<A> {
  readonly query: Q;
}

/** How reads are put together. */
export interface BatchOptions<Q, A> {
  /** Answers in the order of the queries; at least one, and within the limits. */
  readonly load: (queries: readonly Q[]) => Promise<readonly A[]>;
  /** Queries per read. */
  readonly maximumQueries: number;
  /** Queries with the same key have the same answer, and are one. Absent: no two are. */
  readonly keyOf?: (query: Q) => string;
  /** Absent: no query weighs anything. */
  readonly weightOf?: (query: Q) => number;
  readonly maximumWeight?: number;
  /**
   * While a read is under way, what is asked waits for its end, at most so long: where many ask, they share the next read.
   * Absent: it does not.
   */
  readonly maximumWaitMilliseconds?: number;
}

/** Puts what is asked in one turn of the event loop into one read: the rows of an answer ask side by side. */
export class Batch<Q, A> {
  readonly #options: BatchOptions<Q, A>;
  #waiting: Waiting<Q, A>[] = [];
  #byKey = new Map<string, Waiting<Q, A>>();
  #underWay = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: BatchOptions<Q, A>) {
    this.#options = options;
  }

  read(query: Q): Promise<A> {
    const key = this.#options.keyOf?.(query);
    const known = key === undefined ? undefined : this.#byKey.get(key);
    if (known !== undefined) return known.promise;
    if (this.#waiting.length === 0) setImmediate(() => this.#readNext());
    const waiting = { query, ...Promise.withResolvers<A>() };
    this.#waiting.push(waiting);
    if (key !== undefined) this.#byKey.set(key, waiting);
    return waiting.promise;
  }

  #readNext(): void {
    const { maximumWaitMilliseconds } = this.#options;
    if (maximumWaitMilliseconds === undefined || this.#underWay === 0) this.#readAll();
    else this.#timer ??= setTimeout(() => this.#readAll(), maximumWaitMilliseconds);
  }

  #readAll(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const { maximumQueries, maximumWeight = Number.POSITIVE_INFINITY, weightOf } = this.#options;
    // One that is emptied again and again refers from each of its old tables to the next, as `UnderWay` says.
    this.#byKey = new Map();
    let part: Waiting<Q, A>[] = [];
    let weight = 0;
    for (const waiting of this.#waiting.splice(0)) {
      const added = weightOf?.(waiting.query) ?? 0;
      if (part.length === maximumQueries || (part.length > 0 && weight + added > maximumWeight)) {
        void this.#readPart(part);
        part = [];
        weight = 0;
      }
      part.push(waiting);
      weight += added;
    }
    void this.#readPart(part);
  }

  async #readPart(part: readonly Waiting<Q, A>[]): Promise<void> {
    this.#underWay += 1;
    try {
      const answers = await this.#options.load(part.map(({ query }) => query));
      // The answers are as many as the queries, and in their order.
      for (const [index, { resolve }] of part.entries()) resolve(answers[index] as A);
    } catch (error) {
      for (const { reject } of part) reject(error);
    } finally {
      this.#underWay -= 1;
      if (this.#timer !== undefined && this.#underWay === 0) this.#readAll();
    }
  }
}
