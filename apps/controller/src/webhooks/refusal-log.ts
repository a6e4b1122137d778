import type { Logger } from 'pino';
import { QuietLines } from '../logging/quiet-lines.ts';

/** A refusal as the log names it: constant words and names of the configuration, nothing that the sender chose. */
export interface RefusalEntry {
  /** Null: the path names no source with a webhook. */
  readonly source: string | null;
  readonly reason: string;
  /** The setting and file that a person should look at, and why. */
  readonly hint?: string;
}

/** How often deliveries were refused for one reason since the start. */
export interface RefusalCount {
  /** Null: the path names no source with a webhook. */
  readonly source: string | null;
  readonly reason: string;
  readonly count: number;
}

/** Logs and counts refused deliveries, at info: the mistake, or the attempt, is the sender's. */
export class RefusalLog {
  readonly #logger: Logger;
  readonly #lines: QuietLines;
  /** Bounded by the sources of the configuration and the reasons there are. */
  readonly #counts = new Map<string, RefusalCount>();

  /** @param now monotonic, in milliseconds */
  constructor(logger: Logger, now: () => number) {
    this.#logger = logger;
    this.#lines = new QuietLines(now);
  }

  get counts(): readonly RefusalCount[] {
    return [...this.#counts.values()];
  }

  report({ source, reason, hint }: RefusalEntry): void {
    const key = `${source ?? ''} ${reason}`;
    this.#counts.set(key, { source, reason, count: (this.#counts.get(key)?.count ?? 0) + 1 });
    const alike = this.#lines.tell(key);
    if (alike === null) return;
    this.#logger.info({ source, reason, ...(hint === undefined ? {} : { hint }), alike }, 'webhook refused');
  }
}
