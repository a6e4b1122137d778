import type { Timing } from './timing.ts';

/** Time that stands still until a test moves it; random numbers are 0. */
export class FakeTiming implements Timing {
  /** Milliseconds waited for so far, in order. */
  readonly waits: number[] = [];
  #now = 0;
  #elapsed = 0;

  readonly now = (): number => this.#now;
  readonly elapsed = (): number => this.#elapsed;
  readonly random = (): number => 0;
  readonly wait = (ms: number): Promise<void> => {
    this.waits.push(ms);
    return Promise.resolve();
  };

  /** Moves both clocks. */
  advance(ms: number): void {
    this.#now += ms;
    this.#elapsed += ms;
  }

  /** Sets the wall clock alone, as an administrator or NTP does. */
  setClock(now: number): void {
    this.#now = now;
  }
}
