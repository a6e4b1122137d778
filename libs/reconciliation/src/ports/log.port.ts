import type { JsonObject } from '#kernel';

/** A line of the log: constant text plus fields. `text` is for a person, `fields` for a machine. */
export interface LogLine {
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  readonly text: string;
  readonly fields: JsonObject;
}

/** The log. An `error` line is a bug of ours; a healthy run has none. */
export interface LogPort {
  /** Returns at once, never throws. */
  write(line: LogLine): void;
}
