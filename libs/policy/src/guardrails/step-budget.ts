/** Thrown when a budget is used up; never leaves the evaluation of an expression. */
export class StepsExceeded extends Error {}

/**
 * How many steps an evaluation may still take. A step is a small, bounded amount of work (about 200 ns), so that a
 * budget bounds time, and gives the same result on every machine. What is taken from a budget is taken from the one
 * around it, too.
 */
export class StepBudget {
  /** The number of steps that it began with. */
  readonly limit: number;
  /** What takes the steps, as the subject of a sentence: `it takes`. */
  readonly subject: string;
  readonly #around: StepBudget | undefined;
  readonly #exceeded = new StepsExceeded();
  #left: number;

  constructor(limit: number, subject: string, around?: StepBudget) {
    this.limit = limit;
    this.subject = subject;
    this.#around = around;
    this.#left = limit;
  }

  /** The widest budget that is used up. */
  get exceeded(): StepBudget | undefined {
    return this.#around?.exceeded ?? (this.#left < 0 ? this : undefined);
  }

  /**
   * Takes steps, before the work that they stand for is done.
   *
   * @throws StepsExceeded from the moment on when the budget is used up.
   */
  take(steps: number): void {
    this.#left -= steps;
    if (this.#left < 0) throw this.#exceeded;
    this.#around?.take(steps);
  }
}
