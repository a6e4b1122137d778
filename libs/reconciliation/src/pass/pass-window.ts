import type { ClockPort } from '../ports/clock.port.ts';

/** Enough for the metrics of some ten namespaces to be on their way; what these passes hold is some 20 MB. */
const maximumUnderWay = 512;

/** A pass that takes longer waits for something that hangs, and is not counted any more. */
const countedMilliseconds = 500;

/** When no pass has ended for so long, what all of them wait for hangs. */
const stallMilliseconds = 50;

/**
 * Lets the passes of a sweep begin as those before them end, so that what they hold while they wait, and the metrics of
 * their namespaces, do not all exist at once. Where those under way hang, the others begin all the same.
 */
export class PassWindow {
  readonly #clock: ClockPort;
  readonly #waiting: (() => void)[] = [];
  #counted = 0;
  #ended = 0;
  /** Passes stalled: all begin until few are under way. */
  #isOpen = false;
  #isWatched = false;

  constructor(clock: ClockPort) {
    this.#clock = clock;
  }

  /** Resolves when more passes may begin: those that did not wait for their interval before the others. */
  async room(isEarly: boolean): Promise<void> {
    if (this.#hasRoom) return;
    const { promise, resolve } = Promise.withResolvers<undefined>();
    const start = (): void => resolve(undefined);
    if (isEarly) this.#waiting.unshift(start);
    else this.#waiting.push(start);
    this.#watch();
    await promise;
  }

  /** Counts passes that have begun. */
  count(passes: readonly Promise<unknown>[]): void {
    let left = passes.length;
    this.#counted += left;
    const cancel = this.#clock.schedule(countedMilliseconds, () => {
      const hanging = left;
      left = 0;
      this.#release(hanging);
    });
    const end = (): void => {
      this.#ended += 1;
      if (left === 0) return;
      left -= 1;
      if (left === 0) cancel();
      this.#release(1);
    };
    for (const pass of passes) pass.then(end, end);
  }

  get #hasRoom(): boolean {
    return this.#isOpen || this.#counted < maximumUnderWay;
  }

  #release(passes: number): void {
    this.#counted -= passes;
    if (this.#counted < maximumUnderWay / 2) this.#isOpen = false;
    if (this.#hasRoom) this.#letIn();
  }

  /** One at a time: what it begins is counted before the next is asked. */
  #letIn(): void {
    this.#waiting.shift()?.();
  }

  /** Looks, for as long as any wait, whether passes end. */
  #watch(): void {
    if (this.#isWatched) return;
    this.#isWatched = true;
    const ended = this.#ended;
    this.#clock.schedule(stallMilliseconds, () => void this.#look(ended));
  }

  async #look(ended: number): Promise<void> {
    // A loop that is late has answers that came in time yet to read.
    await this.#clock.nextTurn();
    this.#isWatched = false;
    if (this.#waiting.length === 0) return;
    if (this.#ended === ended) {
      this.#isOpen = true;
      for (const start of this.#waiting.splice(0)) start();
    } else {
      this.#watch();
    }
  }
}
