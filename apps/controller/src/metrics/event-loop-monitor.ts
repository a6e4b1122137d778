import type { Logger } from 'pino';
import type { LoopActivities } from '../logging/loop-activities.ts';

/** What a monitor works with; the timers are for tests. */
export interface EventLoopMonitorOptions {
  readonly logger: Pick<Logger, 'info'>;
  readonly activities: LoopActivities;
  /** Hears every delay, in seconds, and what was begun meanwhile where it is beyond 50 ms. */
  readonly observe: (seconds: number, begun: readonly string[]) => void;
  /** Monotonic, in milliseconds. */
  readonly now?: () => number;
}

const tickMilliseconds = 20;

/** No work that comes from outside may hold the main thread for longer: what did is counted. */
const heldMilliseconds = 50;

/** What is logged is well beyond it. */
const loggedMilliseconds = 200;

/** One line per 10 seconds: a machine that is too slow fills no log. */
const quietMilliseconds = 10_000;

/** Measures how late the event loop is, and logs what was begun while it was held. */
export class EventLoopMonitor {
  readonly #options: EventLoopMonitorOptions;
  readonly #now: () => number;
  #timer: NodeJS.Timeout | undefined;
  #last = 0;
  #lastLogged = -quietMilliseconds;

  constructor(options: EventLoopMonitorOptions) {
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
  }

  start(): void {
    this.#last = this.#now();
    this.#timer = setInterval(() => this.tick(), tickMilliseconds).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  /** Looks how late it is; called by the timer. */
  tick(): void {
    const now = this.#now();
    const late = Math.max(0, now - this.#last - tickMilliseconds);
    this.#last = now;
    const { begun, underWay } = this.#options.activities.take();
    this.#options.observe(late / 1_000, late > heldMilliseconds ? begun : []);
    if (late >= loggedMilliseconds && now - this.#lastLogged >= quietMilliseconds) {
      this.#lastLogged = now;
      const fields = { milliseconds: Math.round(late), begun, underWay };
      this.#options.logger.info(fields, 'the main thread was held');
    }
  }
}
