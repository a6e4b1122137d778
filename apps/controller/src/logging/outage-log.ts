import { AdapterError, messageOf } from '#kernel';
import type { FieldLogger } from './field-logger.ts';

/**
 * Says once that something fails, and once that it works again. What another process does by now (`Fenced`) is neither:
 * who has lost it says so.
 */
export class OutageLog {
  readonly #logger: FieldLogger;
  readonly #messages: { readonly fails: string; readonly works: string };
  #failingSince: string | null = null;

  constructor(logger: FieldLogger, messages: { readonly fails: string; readonly works: string }) {
    this.#logger = logger;
    this.#messages = messages;
  }

  /** Since when it fails, RFC 3339 by the machine's clock; null: it works. */
  get failingSince(): string | null {
    return this.#failingSince;
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

  noteFailure(error: unknown): void {
    if (error instanceof AdapterError && error.code === 'Fenced') return;
    if (this.#failingSince === null) this.#logger.warn({ reason: messageOf(error) }, this.#messages.fails);
    this.#failingSince ??= new Date().toISOString();
  }

  noteSuccess(): void {
    if (this.#failingSince !== null) this.#logger.info({ since: this.#failingSince }, this.#messages.works);
    this.#failingSince = null;
  }
}
