import { randomUUID } from 'node:crypto';
import { access, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { ReportSchedule } from './report-schedule.ts';
import type { MadeReport } from './report-thread.ts';

/** A report of a schedule that is made. */
export interface UndeliveredReport extends Pick<MadeReport, 'bytes' | 'verification'> {
  readonly file: string;
  /** The end of its period, milliseconds since 1970. */
  readonly until: number;
}

/**
 * Reports of schedules that are made and not delivered yet: what is tried again delivers the same bytes, as making a year of
 * a fleet takes minutes. Each is a file `*.part`, of which the next start removes what a process leaves.
 */
export class UndeliveredReports {
  readonly #folder: string;
  readonly #maximumBytes: number;
  /** By the schedule as it is configured: one that is changed has none of the former's. */
  readonly #kept = new Map<ReportSchedule, UndeliveredReport>();

  /** @param maximumBytes of all that wait for their next delivery; what does not fit is made anew for each */
  constructor(folder: string, maximumBytes: number) {
    this.#folder = folder;
    this.#maximumBytes = maximumBytes;
  }

  /** Where the next one is to be made. */
  nextFile(): string {
    return join(this.#folder, `${randomUUID()}.part`);
  }

  /** The schedule's report of the period with that end; null: it is to be made. One of another period is removed. */
  async find(schedule: ReportSchedule, until: number): Promise<UndeliveredReport | null> {
    const report = this.#kept.get(schedule);
    if (report?.until === until && (await isThere(report.file))) return report;
    await this.remove(schedule);
    return null;
  }

  /** Keeps a report until {@link remove}. Where there is no room, its file goes at once. */
  async keep(schedule: ReportSchedule, report: UndeliveredReport): Promise<void> {
    const others = [...this.#kept].filter(([other]) => other !== schedule);
    const bytes = others.reduce((sum, [, { bytes: more }]) => sum + more, report.bytes);
    if (bytes <= this.#maximumBytes) this.#kept.set(schedule, report);
    else await this.drop(report);
  }

  /** Removes the schedule's report; the one that is given, where it is not kept. */
  async remove(schedule: ReportSchedule, made?: UndeliveredReport): Promise<void> {
    const report = this.#kept.get(schedule) ?? made;
    this.#kept.delete(schedule);
    if (report !== undefined) await this.drop(report);
  }

  /** Removes a file that is needed no more. In a folder that cannot be written it stays for the next start to remove. */
  async drop({ file }: Pick<UndeliveredReport, 'file'>): Promise<void> {
    await rm(file, { force: true }).catch(() => undefined);
  }
}

async function isThere(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}
