import { messageOf } from '#kernel';

/** The part of the logger that it uses. */
export interface OutageLogger {
  readonly warn: (fields: object, message: string) => void;
  readonly info: (fields: object, message: string) => void;
}

/** Says once that something fails, and once that it works again. */
export class OutageLog {
  readonly #logger: OutageLogger;
  readonly #messages: { readonly fails: string; readonly works: string };
  #failingSince: string | null = null;

  constructor(logger: OutageLogger, messages: { readonly fails: string; readonly works: string }) {
    this.#logger = logger;
    this.#messages = messages;
  }

  /** Since when it fails, RFC 3339 by the machine's clock; null: it works. */
  get failingSince(): string | null {
    return this.#failingSince;
  }

  /** Does the work; what it throws is said. @returns null: it failed */
  async during<T>(work: () => Promise<T>): Promise<T | null> {
    let done: T;
    try {
      done = await work();
    } catch (error) {
      if (this.#failingSince === null) this.#logger.warn({ reason: messageOf(error) }, this.#messages.fails);
      this.#failingSince ??= new Date().toISOString();
      return null;
    }
    if (this.#failingSince !== null) this.#logger.info({ since: this.#failingSince }, this.#messages.works);
    this.#failingSince = null;
    return done;
  }
}
