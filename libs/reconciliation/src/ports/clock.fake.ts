import type { ClockPort } from './clock.port.ts';

interface Timer {
  readonly due: number;
  readonly callback: () => void;
}

/** A clock that a test moves by hand. */
export class FakeClock implements ClockPort {
  /** The time of day at the monotonic clock's start. */
  #start: number;
  readonly #timers = new Set<Timer>();
  #elapsed = 0;

  constructor(start = '2026-11-20T12:00:00.000Z') {
    this.#start = Date.parse(start);
  }

  now(): string {
    return new Date(this.#start + this.#elapsed).toISOString();
  }

  monotonicMilliseconds(): number {
    return this.#elapsed;
  }

  schedule(milliseconds: number, callback: () => void): () => void {
    const timer = { due: this.#elapsed + milliseconds, callback };
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  }

  noteWork(): void {
    // Nothing watches this thread.
  }

  nextTurn(): Promise<void> {
    return Promise.resolve();
  }

  /** Timers that wait. */
  get pending(): number {
    return this.#timers.size;
  }

  /** Sets the time of day, and nothing else, back (forward, where negative). */
  setBack(milliseconds: number): void {
    this.#start -= milliseconds;
  }

  /** Moves time on and runs what came due, in the order of its time. */
  advance(milliseconds: number): void {
    const end = this.#elapsed + milliseconds;
    for (let next = this.#firstDue(end); next !== undefined; next = this.#firstDue(end)) {
      this.#elapsed = Math.max(this.#elapsed, next.due);
      this.#timers.delete(next);
      next.callback();
    }
    this.#elapsed = end;
  }

  #firstDue(end: number): Timer | undefined {
    return [...this.#timers].filter(({ due }) => due <= end).sort((a, b) => a.due - b.due)[0];
  }
}
