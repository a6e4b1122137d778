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
  #isFailing = false;

  constructor(logger: OutageLogger, messages: { readonly fails: string; readonly works: string }) {
    this.#logger = logger;
    this.#messages = messages;
  }

  /** Does the work; what it throws is said. */
  async during(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (!this.#isFailing) this.#logger.warn({ reason: messageOf(error) }, this.#messages.fails);
      this.#isFailing = true;
      return;
    }
    if (this.#isFailing) this.#logger.info({}, this.#messages.works);
    this.#isFailing = false;
  }
}
