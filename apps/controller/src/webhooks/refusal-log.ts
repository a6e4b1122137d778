import type { Logger } from 'pino';

/** A refusal as the log names it: constant words and names of the configuration, nothing that the sender chose. */
export interface RefusalEntry {
  /** Null: the path names no source with a webhook. */
  readonly source: string | null;
  readonly reason: string;
  /** The setting or file that a person should look at. */
  readonly hint?: string;
}

/** How often deliveries were refused for one reason since the start. */
export interface RefusalCount {
  /** Null: the path names no source with a webhook. */
  readonly source: string | null;
  readonly reason: string;
  readonly count: number;
}

/** At most one line per minute for each source and reason, so that a sender cannot fill the disk. */
const quietMilliseconds = 60_000;

interface LoggedRefusal extends RefusalCount {
  readonly time: number;
  readonly silent: number;
}

/** Logs and counts refused deliveries, at info: the mistake, or the attempt, is the sender's. */
export class RefusalLog {
  readonly #logger: Logger;
  readonly #now: () => number;
  /** Bounded by the sources of the configuration and the reasons there are. */
  readonly #logged = new Map<string, LoggedRefusal>();

  constructor(logger: Logger, now: () => number) {
    this.#logger = logger;
    this.#now = now;
  }

  get counts(): readonly RefusalCount[] {
    return [...this.#logged.values()];
  }

  report({ source, reason, hint }: RefusalEntry): void {
    const key = `${source ?? ''} ${reason}`;
    const now = this.#now();
    const logged = this.#logged.get(key);
    if (logged !== undefined && now - logged.time < quietMilliseconds) {
      this.#logged.set(key, { ...logged, count: logged.count + 1, silent: logged.silent + 1 });
      return;
    }
    this.#logged.set(key, { source, reason, count: (logged?.count ?? 0) + 1, time: now, silent: 0 });
    this.#logger.info(
      { source, reason, ...(hint === undefined ? {} : { hint }), alike: logged?.silent ?? 0 },
      'webhook refused',
    );
  }
}
