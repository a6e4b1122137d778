import { type NamespacedName, UnderWay } from '#kernel';
import { Deadline } from '../pass/deadline.ts';
import type { ClockPort } from '../ports/clock.port.ts';

/** How what is under way ends. */
export interface WorkEnding {
  /** What work has that may have changed something. */
  readonly milliseconds: number;
  readonly reason: string;
  /** Whether the work under way for a policy has sent nothing that changes anything: it is dropped at once. */
  readonly isIdle: (policy: NamespacedName) => boolean;
}

/** The work under way, each piece behind a deadline of its own. */
export class RunningWork {
  readonly #clock: ClockPort;
  readonly #timeoutMilliseconds: number;
  /** With the policies that they are for. */
  readonly #running = new UnderWay<{ readonly work: Promise<void>; readonly policy: NamespacedName }>();
  readonly #deadlines = new UnderWay<{ readonly deadline: Deadline; readonly policy: NamespacedName }>();

  constructor(clock: ClockPort, timeoutMilliseconds: number) {
    this.#clock = clock;
    this.#timeoutMilliseconds = timeoutMilliseconds;
  }

  /** Begins a piece of work for a policy at once; resolves or rejects as it does. */
  run(policy: NamespacedName, work: (deadline: Deadline) => Promise<void>): Promise<void> {
    const running = this.#withDeadline(policy, work);
    return running.finally(this.#running.add({ work: running, policy }));
  }

  /**
   * Drops what has changed nothing yet, brings the deadlines of the rest forward, and waits for what is under way: for all
   * policies, or for some.
   */
  async end(
    { milliseconds, reason, isIdle }: WorkEnding,
    isMeant: (policy: NamespacedName) => boolean = () => true,
  ): Promise<void> {
    for (const { deadline, policy } of this.#deadlines) {
      if (!isMeant(policy)) continue;
      if (isIdle(policy)) deadline.abandon(reason);
      else deadline.shorten(milliseconds, reason);
    }
    const running = [...this.#running].filter(({ policy }) => isMeant(policy)).map(({ work }) => work);
    await Promise.allSettled(running);
  }

  async #withDeadline(policy: NamespacedName, work: (deadline: Deadline) => Promise<void>): Promise<void> {
    const deadline = new Deadline(this.#clock, this.#timeoutMilliseconds);
    const forget = this.#deadlines.add({ deadline, policy });
    try {
      await work(deadline);
    } finally {
      deadline.clear();
      forget();
    }
  }
}
