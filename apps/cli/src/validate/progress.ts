/** Often enough to be seen moving, seldom enough to cost nothing. */
const intervalMilliseconds = 100;

/** Tells a person at a terminal how far it is; elsewhere it says nothing. */
export class Progress {
  readonly #isShown: boolean;
  #count = 0;
  #last = 0;

  constructor(isShown: boolean) {
    this.#isShown = isShown;
  }

  step(): void {
    this.#count += 1;
    const now = performance.now();
    if (!this.#isShown || now - this.#last < intervalMilliseconds) return;
    this.#last = now;
    process.stderr.write(`\r${this.#count} files read`);
  }

  end(): void {
    if (this.#isShown && this.#last > 0) process.stderr.write('\r\u001b[K');
  }
}
