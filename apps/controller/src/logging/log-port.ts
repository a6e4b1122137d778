import type { Logger } from 'pino';
import type { LogLine, LogPort } from '#reconciliation';

/** The log of the reconciler: its texts are sentences for a person, and what varies in them stands in the fields too. */
export function toSentenceLog(logger: Logger, message: string): LogPort {
  return {
    write: ({ level, text, fields }: LogLine) => logger[level]({ ...fields, sentence: text }, message),
  };
}

/** The log of an adapter: constant texts, and what varies in the fields. */
export function toFieldLog(logger: Logger): LogPort {
  return { write: ({ level, text, fields }: LogLine) => logger[level](fields, text) };
}
