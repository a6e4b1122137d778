import { TimerHeap } from './timer-heap.ts';

/** Takes a scheduled call back; harmless when it has already run. */
export type Cancel = () => void;

/** setTimeout takes no more than a signed 32-bit number of milliseconds; longer waits are armed again. */
const longestTimeoutMilliseconds = 2 ** 31 - 1;

/**
 * The simulator's one source of time and of timers. Manual: time stands still until `advance`. Wall: time is the
 * machine's. A scenario may be built by hand in the past and then follow the wall clock, so that its pods are old.
 */
export class SimulationClock {
  readonly #timers = new TimerHeap();
  readonly #afterTimer: (() => void)[] = [];
  #manualNow: number | undefined;
  #armed: NodeJS.Timeout | undefined;
  #stopped = false;

  private constructor(manualNow: number | undefined) {
    this.#manualNow = manualNow;
  }

  /** A clock that stands at `startMilliseconds` (milliseconds since the epoch) until it is advanced. */
  static manual(startMilliseconds: number): SimulationClock {
    return new SimulationClock(startMilliseconds);
  }

  /** The machine's clock. */
  static wall(): SimulationClock {
    return new SimulationClock(undefined);
  }

  /** Milliseconds since the epoch. */
  now(): number {
    return this.#manualNow ?? Date.now();
  }

  /** Calls back once `delayMilliseconds` have passed on this clock. */
  schedule(delayMilliseconds: number, callback: () => void): Cancel {
    const timer = this.#timers.push(this.now() + Math.max(0, delayMilliseconds), callback);
    this.#arm();
    return () => {
      timer.cancelled = true;
    };
  }

  /** Called after the timers of an instant have run: the controllers run there, before later timers see the cluster. */
  onTimer(listener: () => void): void {
    this.#afterTimer.push(listener);
  }

  /**
   * Moves a manual clock forward and runs, in order, what falls due on the way, timers made on the way included.
   *
   * @throws Error on a clock that follows the machine's, which cannot be moved.
   */
  advance(milliseconds: number): void {
    if (this.#manualNow === undefined) throw new Error('a wall clock cannot be advanced');
    const end = this.#manualNow + milliseconds;
    for (
      let due = this.#timers.nextDueMilliseconds();
      due !== undefined && due <= end;
      due = this.#timers.nextDueMilliseconds()
    ) {
      this.#manualNow = Math.max(this.#manualNow, due);
      this.#runDue(due);
    }
    this.#manualNow = end;
  }

  /** From now on the time is the machine's; timers that fell due in between run at once. */
  followWall(): void {
    this.#manualNow = undefined;
    this.#arm();
  }

  /** Forgets every timer; nothing is called any more. */
  stop(): void {
    this.#stopped = true;
    clearTimeout(this.#armed);
  }

  #arm(): void {
    if (this.#manualNow !== undefined || this.#stopped) return;
    clearTimeout(this.#armed);
    const due = this.#timers.nextDueMilliseconds();
    if (due === undefined) return;
    const delay = Math.min(longestTimeoutMilliseconds, Math.max(0, due - Date.now()));
    this.#armed = setTimeout(() => {
      this.#runDue(Date.now());
      this.#arm();
    }, delay);
  }

  /** Everything of one instant runs before the listeners look, so that 10,000 pods getting ready are one change. */
  #runDue(nowMilliseconds: number): void {
    for (
      let timer = this.#timers.popDue(nowMilliseconds);
      timer !== undefined;
      timer = this.#timers.popDue(nowMilliseconds)
    )
      timer.callback();

    for (const listener of this.#afterTimer) listener();
  }
}
