import type { LoggerService } from '@nestjs/common';
import type { Logger } from 'pino';

/** Nest's own messages in the controller's log: its start-up chatter at debug, its warnings and errors as they are. */
export class NestLogger implements LoggerService {
  readonly #logger: Logger;

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  log(message: unknown): void {
    this.#logger.debug({ framework: message }, 'framework');
  }

  warn(message: unknown): void {
    this.#logger.warn({ framework: message }, 'framework warning');
  }

  error(message: unknown, ...details: readonly unknown[]): void {
    // What Nest caught while it started is thrown as well, and reported where it is caught.
    if (details.at(-1) === 'ExceptionHandler') return;
    this.#logger.error(failureFields(message, details), 'framework error');
  }

  fatal(message: unknown, ...details: readonly unknown[]): void {
    this.#logger.fatal(failureFields(message, details), 'framework failure');
  }
}

/** Nest logs a text with its details, or what was thrown: of an Error as any other field JSON would keep nothing. */
function failureFields(message: unknown, details: readonly unknown[]): object {
  return typeof message === 'string' ? { framework: message, details } : { err: message };
}
