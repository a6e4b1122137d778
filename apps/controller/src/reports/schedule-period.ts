import { Cron } from 'croner';

/** The time between two firings of a cron. */
export interface SchedulePeriod {
  /** Milliseconds since 1970. */
  readonly from: number;
  /** Exclusive. */
  readonly until: number;
}

/** When a schedule's cron fires. */
export class SchedulePeriods {
  readonly #cron: Cron;

  constructor({ cron, timeZone }: { readonly cron: string; readonly timeZone: string }) {
    this.#cron = new Cron(cron, { timezone: timeZone, paused: true });
  }

  /** The last period that has ended at a time; null: the cron has not fired twice yet. */
  lastEnded(now: number): SchedulePeriod | null {
    // Firings are on whole seconds, and one at this time has been.
    const [until, from] = this.#cron.previousRuns(2, new Date(Math.floor(now / 1_000) * 1_000 + 1_000));
    if (until === undefined || from === undefined) return null;
    return { from: from.getTime(), until: until.getTime() };
  }

  /** When the period that runs at a time ends. */
  nextEnd(now: number): number | null {
    return this.#cron.nextRun(new Date(now))?.getTime() ?? null;
  }
}
