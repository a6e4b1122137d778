import { AdapterError, messageOf } from '#kernel';
import type { FieldLogger } from './field-logger.ts';

/** Per outage: an error without a code that has another number in it each time does not fill the log. */
const reasonLimit = 5;

/**
 * Says once that something fails, again for each other code of the same outage (five in all), and once that it works
 * again. What another process does by now (`Fenced`) is neither: who has lost it says so.
 */
export class OutageLog {
  readonly #logger: FieldLogger;
  readonly #messages: { readonly fails: string; readonly works: string };
  readonly #reasons = new Set<string>();
  #failingSince: string | null = null;
  #latestReason = '';

  constructor(logger: FieldLogger, messages: { readonly fails: string; readonly works: string }) {
    this.#logger = logger;
    this.#messages = messages;
  }

  /** Since when it fails, RFC 3339 by the machine's clock; null: it works. */
  get failingSince(): string | null {
    return this.#failingSince;
  }

  /** What fails, and what it failed with last, in a sentence; null: it works. */
  get failure(): string | null {
    return this.#failingSince === null ? null : `${this.#messages.fails}: ${this.#latestReason}`;
  }

  /** Does the work; what it throws is said. @returns null: it failed */
  async during<T>(work: () => Promise<T>): Promise<T | null> {
    try {
      const done = await work();
      this.noteSuccess();
      return done;
    } catch (error) {
      this.noteFailure(error);
      return null;
    }
  }

  /** @param about what the reason does not name, such as which of several things it was */
  noteFailure(error: unknown, about: Readonly<Record<string, string>> = {}): void {
    if (error instanceof AdapterError && error.code === 'Fenced') return;
    this.#failingSince ??= new Date().toISOString();
    const reason = messageOf(error);
    this.#latestReason = reason;
    // The messages of one code differ in what was asked for, such as the names of 16 Leases.
    const kind = error instanceof AdapterError ? error.code : reason;
    if (this.#reasons.has(kind) || this.#reasons.size === reasonLimit) return;
    this.#reasons.add(kind);
    const { fails } = this.#messages;
    const fields = { ...about, reason };
    if (this.#reasons.size === 1) this.#logger.warn(fields, fails);
    else this.#logger.warn({ outage: fails, ...fields }, 'what fails has another reason now');
  }

  noteSuccess(): void {
    if (this.#failingSince !== null) this.#logger.info({ since: this.#failingSince }, this.#messages.works);
    this.#failingSince = null;
    this.#reasons.clear();
  }
}
