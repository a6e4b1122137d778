import type { ElectionTools } from './election-tools.ts';

export interface RepeatedWorkOptions extends Pick<ElectionTools, 'clock' | 'ending'> {
  /** Whether nothing is to be done again. */
  readonly isOver: () => boolean;
  /** Called whenever a piece of work has ended. */
  readonly afterEach: () => void;
}

/** Work that is done over and over until the process ends, each kind by itself. */
export class RepeatedWork {
  readonly #options: RepeatedWorkOptions;

  constructor(options: RepeatedWorkOptions) {
    this.#options = options;
  }

  /** Begins so often, or as soon as what takes longer has ended. */
  every(milliseconds: number, act: () => Promise<unknown>): Promise<void> {
    const { clock } = this.#options;
    let next = 0;
    const begin = (): Promise<unknown> => {
      next = clock.elapsed() + milliseconds;
      return act();
    };
    return this.repeat(begin, () => Math.max(0, next - clock.elapsed()));
  }

  /** Begins again after a pause, in milliseconds. */
  async repeat(act: () => Promise<unknown>, pause: () => number): Promise<void> {
    const { clock, ending, isOver, afterEach } = this.#options;
    while (!ending.aborted && !isOver()) {
      await act();
      afterEach();
      await clock.wait(pause(), ending).catch(() => undefined);
    }
  }
}
