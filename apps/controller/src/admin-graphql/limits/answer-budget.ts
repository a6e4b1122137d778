import { QueryError } from '../../admin/requests/query-error.ts';

/** The most that one answer holds: a console shows less, and an export has a way of its own. */
export const maximumAnswerBytes = 16 * 1024 * 1024;

/** Counts the large values of one answer while it is made. */
export class AnswerBudget {
  #left = maximumAnswerBytes;

  /** @throws QueryError `AnswerTooLarge` */
  spend<T>(value: T): T {
    this.#left -= JSON.stringify(value).length;
    if (this.#left >= 0) return value;
    throw new QueryError(
      'AnswerTooLarge',
      `an answer holds ${maximumAnswerBytes} bytes; ask for fewer at once`,
    );
  }
}
