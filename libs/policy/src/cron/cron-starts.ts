import { Cron } from 'croner';
import type { TimeZone } from './time-zone.ts';

/** A cron in its time zone (IANA). */
interface ZonedCron {
  readonly cron: string;
  readonly timeZone: string;
}

/**
 * When a cron fires. What daylight saving skips fires at the first instant after the gap, also where the gap reaches
 * midnight, and where the cron names several times of the day: croner leaves those out, or the whole day.
 */
export class CronStarts {
  readonly #cron: Cron;
  /** The same one by local times, none of which it skips. */
  readonly #local: Cron;
  readonly #zone: TimeZone;

  constructor({ cron, timeZone }: ZonedCron, zone: TimeZone) {
    this.#cron = new Cron(cron, { timezone: timeZone, paused: true });
    this.#local = new Cron(cron, { timezone: 'UTC', paused: true });
    this.#zone = zone;
  }

  /** The first firing later than a time, both in milliseconds since 1970; null: there is none. */
  after(time: number): number | null {
    const shown = this.#cron.nextRun(new Date(time))?.getTime() ?? null;
    const skipped = this.#skippedAfter(time);
    if (shown === null || skipped === null) return shown ?? skipped;
    return Math.min(shown, skipped);
  }

  /** Only the first local time has to be looked at: where the clocks show it, nothing before it is skipped. */
  #skippedAfter(time: number): number | null {
    const local = this.#local.nextRun(new Date(this.#zone.localOf(time)))?.getTime();
    if (local === undefined) return null;
    const end = this.#zone.endOfGapAt(local);
    return end === null || end <= time ? null : end;
  }
}
