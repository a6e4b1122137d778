import type { Timing } from './timing.ts';

/** Time that stands still until a test moves it; the dice always show 0. */
export class FakeTiming implements Timing {
  /** Milliseconds waited for so far, in order. */
  readonly waits: number[] = [];
  #now = 0;

  readonly now = (): number => this.#now;
  readonly random = (): number => 0;
  readonly wait = (ms: number): Promise<void> => {
    this.waits.push(ms);
    return Promise.resolve();
  };

  advance(ms: number): void {
    this.#now += ms;
  }
}
