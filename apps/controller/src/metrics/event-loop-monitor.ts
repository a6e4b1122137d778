import type { Logger } from 'pino';

/** What a monitor works with; the timers are for tests. */
export interface EventLoopMonitorOptions {
  readonly logger: Pick<Logger, 'info'>;
  /** Is called with every delay, in seconds. */
  readonly observe: (seconds: number) => void;
  /** Monotonic, in milliseconds. */
  readonly now?: () => number;
}

const tickMilliseconds = 20;

/** No work that comes from outside may hold the main thread for longer than 50 ms; what is logged is well beyond it. */
const loggedMilliseconds = 200;

/** One line per 10 seconds: a machine that is too slow fills no log. */
const quietMilliseconds = 10_000;

/** The latest activities that are remembered of one tick. */
const maximumActivities = 20;

/** Measures how late the event loop is, and logs what was begun while it was held. */
export class EventLoopMonitor {
  readonly #options: EventLoopMonitorOptions;
  readonly #now: () => number;
  readonly #activities = new Set<string>();
  #timer: NodeJS.Timeout | undefined;
  #last = 0;
  #lastLogged = -quietMilliseconds;

  constructor(options: EventLoopMonitorOptions) {
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
  }

  /** Something begins that may hold the thread: `POST /graphql`, `sweep`, `sync policies`. */
  readonly note = (activity: string): void => {
    if (this.#activities.size < maximumActivities) this.#activities.add(activity);
  };

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
    this.#options.observe(late / 1_000);
    if (late >= loggedMilliseconds && now - this.#lastLogged >= quietMilliseconds) {
      this.#lastLogged = now;
      const fields = { milliseconds: Math.round(late), begun: [...this.#activities] };
      this.#options.logger.info(fields, 'the main thread was held');
    }
    this.#activities.clear();
  }
}
