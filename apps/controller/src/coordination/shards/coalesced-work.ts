/** Work that is asked for again and again: one piece runs at a time, and one more after it where it was asked for meanwhile. */
export class CoalescedWork {
  readonly #work: () => Promise<unknown>;
  #running: Promise<void> | undefined;
  #isAskedAgain = false;
  #hasEnded = false;

  /** `work` never rejects. */
  constructor(work: () => Promise<unknown>) {
    this.#work = work;
  }

  /** Resolves when a piece of work has ended that began after the call. */
  run(): Promise<void> {
    if (this.#running !== undefined) {
      this.#isAskedAgain = true;
      return this.#running;
    }
    if (this.#hasEnded) return Promise.resolve();
    const running = this.#runAll();
    this.#running = running;
    return running;
  }

  /** Resolves when nothing runs. */
  async settled(): Promise<void> {
    await this.#running;
  }

  /** Begins nothing more, and waits for what runs. */
  async end(): Promise<void> {
    this.#hasEnded = true;
    await this.#running;
  }

  async #runAll(): Promise<void> {
    do {
      this.#isAskedAgain = false;
      await this.#work();
    } while (this.#mustRunAgain());
    // In the same step as the look at it: whoever asks between the two would be told that it was done, and it never was.
    this.#running = undefined;
  }

  #mustRunAgain(): boolean {
    return this.#isAskedAgain && !this.#hasEnded;
  }
}
