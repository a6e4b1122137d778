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
    this.#running = this.#runAll().finally(() => {
      this.#running = undefined;
    });
    return this.#running;
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
      if (this.#hasEnded) return;
      await this.#work();
    } while (this.#mustRunAgain());
  }

  #mustRunAgain(): boolean {
    return this.#isAskedAgain;
  }
}
