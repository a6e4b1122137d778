import type { Logger } from 'pino';
import type { LogLine, LogPort } from '#reconciliation';

/** The log as the use cases see it. A line's text is for a person; what varies stands in the fields too. */
export function toLogPort(logger: Logger, message: string): LogPort {
  return {
    write: ({ level, text, fields }: LogLine) => logger[level]({ ...fields, sentence: text }, message),
  };
}
