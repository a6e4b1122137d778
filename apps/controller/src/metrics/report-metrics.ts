import { Counter, type Registry } from 'prom-client';
import type { ScheduleCounts } from '../reports/report-schedules.ts';

/** Registers what came of scheduled reports. */
export function registerReportMetrics(registry: Registry, schedules: () => readonly ScheduleCounts[]): void {
  new Counter({
    name: 'plimsoll_scheduled_reports_total',
    help: 'Reports of schedules, by what came of making and delivering them.',
    labelNames: ['schedule', 'result'],
    registers: [registry],
    collect() {
      this.reset();
      for (const { schedule, made, failed } of schedules()) {
        this.inc({ schedule, result: 'made' }, made);
        this.inc({ schedule, result: 'failed' }, failed);
      }
    },
  });
}
