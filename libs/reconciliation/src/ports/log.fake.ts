import type { LogLine, LogPort } from './log.port.ts';

/** Keeps the lines that were written. */
export class FakeLog implements LogPort {
  readonly lines: LogLine[] = [];

  write(line: LogLine): void {
    this.lines.push(line);
  }
}
