import { err, type Result } from '#kernel';
import type { ClockPort, JournalRefusal } from '#reconciliation';
import type { FieldLogger } from '../logging/field-logger.ts';

export interface OutageReportsOptions {
  /** The journal's file. */
  readonly path: string;
  readonly clock: Pick<ClockPort, 'now'>;
  readonly logger: FieldLogger;
}

/** That what is decided is not kept while the database takes nothing. */
export interface Refusing {
  /** RFC 3339. */
  readonly since: string;
  /** Why, as of the latest time. */
  readonly message: string;
}

/** Since when the database takes nothing, and since when the journal takes nothing either: once in the log, and for `/metrics`. */
export class OutageReports {
  readonly #options: OutageReportsOptions;
  #since: string | null = null;
  #reason: string | null = null;
  #refusing: Refusing | null = null;
  /** Until the process ends. */
  #broken: Refusing | null = null;
  #refusals = 0;
  /** As many as there were when the outage began. */
  #refusalsBefore = 0;

  constructor(options: OutageReportsOptions) {
    this.#options = options;
  }

  /** Since when the database has taken nothing of what was decided, RFC 3339; null: it has everything. */
  get since(): string | null {
    return this.#since;
  }

  /** Why, as of the latest attempt; null: it has everything. */
  get reason(): string | null {
    return this.#reason;
  }

  /** Since when the journal has taken nothing either, or there is none, and why; null: it would. */
  get refusing(): Refusing | null {
    return this.#broken ?? this.#refusing;
  }

  /** Requests that were not kept since the start. */
  get refusals(): number {
    return this.#refusals;
  }

  /** The database takes nothing; `reason` says why. */
  begin(reason: string): void {
    const { clock, logger, path } = this.#options;
    this.#since = clock.now();
    this.#reason = reason;
    this.#refusalsBefore = this.#refusals;
    logger.warn(
      { reason, file: path },
      'the database did not take what was decided: until it does, policies are decided from memory, nothing is written to Kubernetes, and the journal keeps what is decided',
    );
  }

  /** Another attempt failed; `reason` says why. */
  noteStill(reason: string): void {
    if (this.#since !== null) this.#reason = reason;
  }

  /** There is no journal; `reason` says why. */
  noteBroken(reason: string): void {
    const { clock, logger, path } = this.#options;
    const outcome = 'in an outage of the database nothing that is decided is kept';
    this.#broken = { since: clock.now(), message: `there is no journal (${reason}): ${outcome}` };
    logger.warn({ reason, file: path }, `there is no journal: ${outcome}`);
  }

  /** The journal keeps what it is asked to again. */
  noteKept(): void {
    this.#refusing = null;
  }

  /** A request that is not kept. */
  refuse(code: JournalRefusal['code'], message: string): Result<undefined, JournalRefusal> {
    const { clock, logger } = this.#options;
    this.#refusals += 1;
    if (this.#refusing === null)
      logger.warn({ reason: message }, 'the journal takes nothing: what is decided is not kept');
    this.#refusing = { since: this.#refusing?.since ?? clock.now(), message };
    return err({ code, message });
  }

  /** The database takes entries again, and has what was kept. */
  end(): void {
    if (this.#since === null) return;
    this.#options.logger.info(
      { since: this.#since },
      this.#refusals === this.#refusalsBefore
        ? 'the database takes entries again, and has what was decided meanwhile'
        : 'the database takes entries again; not all that was decided meanwhile could be kept',
    );
    this.#since = null;
    this.#reason = null;
    this.#refusing = null;
  }
}
