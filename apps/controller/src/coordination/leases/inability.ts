import type { ElectionTools } from './election-tools.ts';

/** So many Lease durations after a replica could not begin its shards it is tried again: two and a half minutes by default. */
export const leasesUntilNextTrial = 10;

/**
 * Whether this replica fails to begin what it takes, as with a database that it may read and not write. It counts as live,
 * so the others would leave it a share that nobody carries out: it tells them to take that, and tries again later.
 */
export class Inability {
  readonly #tools: Pick<ElectionTools, 'clock' | 'terms' | 'logger'>;
  /** Since when nothing was begun and attempts have failed, by the clock of elections; null: none has since something was. */
  #failingSince: number | null = null;
  #until = Number.NEGATIVE_INFINITY;

  constructor(tools: Pick<ElectionTools, 'clock' | 'terms' | 'logger'>) {
    this.#tools = tools;
  }

  get isUnable(): boolean {
    return this.#tools.clock.elapsed() < this.#until;
  }

  /** A scope could not be taken. One failure may be a moment's; after an earlier trial that failed it is one too many. */
  noteFailure(): void {
    const { clock, terms } = this.#tools;
    this.#failingSince ??= clock.elapsed();
    if (clock.elapsed() - this.#failingSince >= terms.renewDeadlineMilliseconds) this.begin();
  }

  noteSuccess(): void {
    this.#failingSince = null;
  }

  /** It is known that what was taken cannot begin. */
  begin(): void {
    const { clock, terms, logger } = this.#tools;
    if (!this.isUnable) logger.warn({}, 'this replica cannot begin its shards; others are to take them');
    this.#failingSince ??= clock.elapsed();
    this.#until = clock.elapsed() + leasesUntilNextTrial * terms.leaseDurationMilliseconds;
  }
}
