import { mayAct, type Principal } from '../auth/callers/principal.ts';
import type { ReportSchedule } from './report-schedule.ts';
import { RunningSchedule, type RunningScheduleOptions } from './running-schedule.ts';
import { SchedulePeriods } from './schedule-period.ts';

/** A schedule whose report could not be made or delivered. */
export interface FailingSchedule {
  readonly schedule: string;
  /** RFC 3339. */
  readonly since: string;
}

/** What came of reports of a schedule since the start. */
export interface ScheduleCounts {
  readonly schedule: string;
  readonly made: number;
  readonly failed: number;
}

/** How a schedule stands. */
export interface ScheduleState extends Pick<ReportSchedule, 'name' | 'cron' | 'timeZone' | 'format'> {
  /** Of the next report, RFC 3339; null: its cron does not fire any more. */
  readonly nextAt: string | null;
  /** The end of the last period that was reported on, RFC 3339; null: this process knows of none. */
  readonly reportedUntil: string | null;
  /** RFC 3339; null: the last report was made and delivered. */
  readonly failingSince: string | null;
}

/** Makes the reports of the configuration's schedules: each period once, the last one also where its end was missed. */
export class ReportSchedules {
  readonly #options: RunningScheduleOptions;
  readonly #running = new Map<string, RunningSchedule>();
  #schedules: readonly ReportSchedule[];
  #isStarted = false;

  constructor(schedules: readonly ReportSchedule[], options: RunningScheduleOptions) {
    this.#schedules = schedules;
    this.#options = options;
  }

  get failing(): readonly FailingSchedule[] {
    return [...this.#running.values()].flatMap(({ schedule, failingSince }) =>
      failingSince === null ? [] : [{ schedule: schedule.name, since: failingSince }],
    );
  }

  get counts(): readonly ScheduleCounts[] {
    return [...this.#running.values()].map(({ schedule, made, failed }) => ({
      schedule: schedule.name,
      made,
      failed,
    }));
  }

  /** To who may view all namespaces: what a schedule reports on may be any of them. */
  list(caller: Principal): readonly ScheduleState[] {
    if (!mayAct(caller, 'viewer', null)) return [];
    const now = Date.parse(this.#options.clock.now());
    return this.#schedules.map((schedule) => {
      const { name, cron, timeZone, format } = schedule;
      const running = this.#running.get(name);
      return {
        ...{ name, cron, timeZone, format },
        nextAt: timeText(new SchedulePeriods(schedule).nextEnd(now)),
        reportedUntil: timeText(running?.reportedUntil ?? null),
        failingSince: running?.failingSince ?? null,
      };
    });
  }

  start(): void {
    this.#isStarted = true;
    this.reconfigure(this.#schedules);
  }

  /** Ends what is under way: the next start makes it. */
  async stop(): Promise<void> {
    this.#isStarted = false;
    await Promise.all([...this.#running.values()].map((running) => running.stop()));
    this.#running.clear();
  }

  /** Follows the schedules; one that has not changed goes on as it is. */
  reconfigure(schedules: readonly ReportSchedule[]): void {
    this.#schedules = schedules;
    if (!this.#isStarted) return;
    const wanted = new Map(schedules.map((schedule) => [schedule.name, schedule]));
    for (const [name, running] of this.#running) {
      if (JSON.stringify(wanted.get(name)) === JSON.stringify(running.schedule)) {
        wanted.delete(name);
      } else {
        void running.stop();
        this.#running.delete(name);
      }
    }
    for (const schedule of wanted.values()) {
      const running = new RunningSchedule(schedule, this.#options);
      this.#running.set(schedule.name, running);
      running.look();
    }
  }
}

function timeText(milliseconds: number | null): string | null {
  return milliseconds === null || milliseconds === 0 ? null : new Date(milliseconds).toISOString();
}
