import type { Logger } from 'pino';

/** A refusal as the log names it: constant words and names of the configuration, nothing that the sender chose. */
export interface RefusalEntry {
  /** Null: the path names no source with a webhook. */
  readonly source: string | null;
  readonly reason: string;
  /** The setting or file that a person should look at. */
  readonly hint?: string;
}

/** One line a minute for each source and reason: whoever knocks does not fill the disk. */
const quietMilliseconds = 60_000;

interface Told {
  readonly time: number;
  readonly silent: number;
}

/** Tells of refused deliveries, at info: it is somebody else's mistake, or an attempt. */
export class RefusalLog {
  readonly #logger: Logger;
  readonly #now: () => number;
  /** Bounded by the sources of the configuration and the reasons there are. */
  readonly #told = new Map<string, Told>();

  constructor(logger: Logger, now: () => number) {
    this.#logger = logger;
    this.#now = now;
  }

  tell({ source, reason, hint }: RefusalEntry): void {
    const key = `${source ?? ''} ${reason}`;
    const now = this.#now();
    const told = this.#told.get(key);
    if (told !== undefined && now - told.time < quietMilliseconds) {
      this.#told.set(key, { ...told, silent: told.silent + 1 });
      return;
    }
    this.#told.set(key, { time: now, silent: 0 });
    this.#logger.info(
      { source, reason, ...(hint === undefined ? {} : { hint }), alike: told?.silent ?? 0 },
      'webhook refused',
    );
  }
}
