import type { ClockPort } from '../ports/clock.port.ts';
import { Deadline } from './deadline.ts';

/** The work under way, each piece behind a deadline of its own. */
export class RunningWork {
  readonly #clock: ClockPort;
  readonly #timeoutMilliseconds: number;
  readonly #running = new Set<Promise<void>>();
  readonly #deadlines = new Set<Deadline>();

  constructor(clock: ClockPort, timeoutMilliseconds: number) {
    this.#clock = clock;
    this.#timeoutMilliseconds = timeoutMilliseconds;
  }

  /** Begins a piece of work at once; resolves or rejects as it does. */
  run(work: (deadline: Deadline) => Promise<void>): Promise<void> {
    const running = this.#withDeadline(work);
    this.#running.add(running);
    return running.finally(() => this.#running.delete(running));
  }

  /** Brings every deadline forward to so many milliseconds from now, and waits for what is under way. */
  async end(milliseconds: number, reason: string): Promise<void> {
    for (const deadline of this.#deadlines) deadline.shorten(milliseconds, reason);
    await Promise.allSettled(this.#running);
  }

  async #withDeadline(work: (deadline: Deadline) => Promise<void>): Promise<void> {
    const deadline = new Deadline(this.#clock, this.#timeoutMilliseconds);
    this.#deadlines.add(deadline);
    try {
      await work(deadline);
    } finally {
      deadline.clear();
      this.#deadlines.delete(deadline);
    }
  }
}
