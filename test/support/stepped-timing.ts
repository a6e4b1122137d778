import type { Timing } from '#adapter-kubernetes';

interface Waiting {
  readonly until: number;
  readonly resolve: () => void;
}

/** Time that a test lets pass in steps; what waits goes on when its time has come. */
export class SteppedTiming implements Timing {
  /** How far the wall clock is off, in milliseconds; negative: set back. */
  wallOffsetMilliseconds = 0;
  readonly #waiting = new Set<Waiting>();
  #elapsed = 0;

  readonly now = (): number =>
    Date.parse('2026-03-01T12:00:00Z') + this.#elapsed + this.wallOffsetMilliseconds;
  readonly elapsed = (): number => this.#elapsed;
  readonly random = (): number => 0;

  readonly wait = (milliseconds: number, signal?: AbortSignal): Promise<void> =>
    new Promise((resolve, reject) => {
      const waiting = { until: this.#elapsed + milliseconds, resolve };
      this.#waiting.add(waiting);
      signal?.addEventListener('abort', () => {
        this.#waiting.delete(waiting);
        reject(signal.reason as Error);
      });
      if (signal?.aborted === true) reject(signal.reason as Error);
    });

  step(milliseconds: number): void {
    this.#elapsed += milliseconds;
    for (const waiting of this.#waiting) {
      if (waiting.until > this.#elapsed) continue;
      this.#waiting.delete(waiting);
      waiting.resolve();
    }
  }
}
