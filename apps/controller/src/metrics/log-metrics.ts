import { Counter, type Registry } from 'prom-client';
import type { LogOutput } from '../logging/log-output.ts';

/** Registers how much of the log nobody has read. */
export function registerLogMetrics(registry: Registry, output: Pick<LogOutput, 'droppedLines'> | null): void {
  new Counter({
    name: 'plimsoll_log_lines_dropped_total',
    help: 'Lines of the log that were dropped, since its reader did not take them.',
    registers: [registry],
    collect() {
      this.reset();
      this.inc(output?.droppedLines ?? 0);
    },
  });
}
