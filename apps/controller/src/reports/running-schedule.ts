import type { Logger } from 'pino';
import { AdapterError, fileFault, late, withinTime } from '#kernel';
import { adminStream, type LedgerPort, type LedgerWriter } from '#ledger';
import type { ClockPort } from '#reconciliation';
import { localText } from '#report';
import { grantEverywhere } from '../auth/callers/principal.ts';
import { stopMilliseconds } from '../checkpoints/checkpoint-publisher.ts';
import { deliverReport, type ScheduledReport } from './deliver-report.ts';
import { requestOf } from './report-order.ts';
import type { ReportPress } from './report-press.ts';
import type { ReportSchedule } from './report-schedule.ts';
import { type SchedulePeriod, SchedulePeriods } from './schedule-period.ts';
import type { UndeliveredReport, UndeliveredReports } from './undelivered-reports.ts';

/** By what the reports of a schedule are made, delivered and recorded. */
export interface RunningScheduleOptions {
  readonly press: Pick<ReportPress, 'make'>;
  /** Where reports are made, and stay until they are delivered. */
  readonly undelivered: UndeliveredReports;
  readonly cluster: string;
  readonly maximumMegabytes: number;
  readonly ledger: Pick<LedgerPort, 'entries'>;
  readonly writer: Pick<LedgerWriter, 'append'>;
  readonly clock: Pick<ClockPort, 'now' | 'schedule'>;
  readonly logger: Pick<Logger, 'info' | 'warn'>;
}

const firstWaitMilliseconds = 2_000;
const longestWaitMilliseconds = 300_000;

/** A folder that has not taken a report by then hangs, as one does whose mount is away. */
const hangingMilliseconds = 300_000;

/** Timers of Node hold no more than 24 days. */
const longestSleepMilliseconds = 86_400_000;

/** Entries of a schedule that are looked at for its last report: one failure per period is recorded between two starts. */
const maximumEarlier = 100;

/** One schedule: it waits for the end of a period, makes its report, delivers it, and tells what fails. */
export class RunningSchedule {
  readonly schedule: ReportSchedule;
  readonly #options: RunningScheduleOptions;
  readonly #periods: SchedulePeriods;
  readonly #ending = new AbortController();
  made = 0;
  failed = 0;
  failingSince: string | null = null;
  /** The end of the last period that was reported on; 0: none was; null: not looked up yet. */
  reportedUntil: number | null = null;
  #failures = 0;
  /** The period whose failure is recorded. */
  #toldUntil = 0;
  #cancelWait: () => void = () => undefined;
  #looking: Promise<void> = Promise.resolve();

  constructor(schedule: ReportSchedule, options: RunningScheduleOptions) {
    this.schedule = schedule;
    this.#options = options;
    this.#periods = new SchedulePeriods(schedule);
  }

  /** Makes what is due, and looks again when the next is. */
  look(): void {
    this.#looking = this.#look().then(
      (wait) => this.#sleep(wait),
      () => this.#sleep(longestWaitMilliseconds),
    );
  }

  async stop(): Promise<void> {
    this.#ending.abort();
    this.#cancelWait();
    // A folder that hangs keeps the process from ending.
    if ((await withinTime(this.#options.clock, stopMilliseconds, this.#looking)) === late) return;
    await this.#options.undelivered.remove(this.schedule);
  }

  #sleep(milliseconds: number): void {
    if (this.#ending.signal.aborted) return;
    this.#cancelWait = this.#options.clock.schedule(Math.min(milliseconds, longestSleepMilliseconds), () =>
      this.look(),
    );
  }

  /** How long to wait for the next look. */
  async #look(): Promise<number> {
    const now = Date.parse(this.#options.clock.now());
    const due = this.#periods.lastEnded(now);
    try {
      // A clock that was ahead for a while has reported on periods that are still to come.
      if (this.reportedUntil === null || this.reportedUntil > now)
        this.reportedUntil = await this.#lastReported(now);
      if (due !== null && due.until > this.reportedUntil) await this.#report(due);
      return (this.#periods.nextEnd(now) ?? Infinity) - now;
    } catch (error) {
      if (this.#ending.signal.aborted) return Infinity;
      await this.#fail(error, due);
      return Math.min(firstWaitMilliseconds * 2 ** (this.#failures - 1), longestWaitMilliseconds);
    }
  }

  async #report(period: SchedulePeriod): Promise<void> {
    const { name, timeZone } = this.schedule;
    const { undelivered, cluster, clock, logger } = this.#options;
    const report = (await undelivered.find(this.schedule, period.until)) ?? (await this.#make(period));
    const { file, bytes, verification } = report;
    try {
      const made = {
        ...{ file, bytes, cluster },
        period: [localText(period.from, timeZone), localText(period.until, timeZone)] as const,
        id: `${cluster}/reports/${name}/${timeText(period.until)}`,
        now: clock.now(),
      };
      const place = await this.#deliver(period, made);
      await this.#record('Accepted', period, { reason: null, bytes, place, ...verification });
    } catch (error) {
      await undelivered.keep(this.schedule, report);
      throw error;
    }
    await undelivered.remove(this.schedule, report);
    if (this.failingSince !== null) logger.info({ schedule: name }, 'a scheduled report is made again');
    this.reportedUntil = period.until;
    this.made += 1;
    this.failingSince = null;
    this.#failures = 0;
  }

  /** One that hangs is told of and waited for: each further attempt would keep a thread. */
  async #deliver(period: SchedulePeriod, made: ScheduledReport): Promise<string> {
    const delivery = deliverReport(this.schedule, made, this.#ending.signal);
    if ((await withinTime(this.#options.clock, hangingMilliseconds, delivery)) === late)
      await this.#fail(hanging, period);
    return delivery;
  }

  async #make({ from, until }: SchedulePeriod): Promise<UndeliveredReport> {
    const { name, format } = this.schedule;
    const { undelivered, press, maximumMegabytes, clock } = this.#options;
    const order = { ...this.schedule, from: timeText(from), until: timeText(until) };
    const file = undelivered.nextFile();
    const task = {
      request: requestOf(order, { name, grants: grantEverywhere('viewer') }, clock.now()),
      format,
      file,
      maximumBytes: maximumMegabytes * 1024 ** 2,
    };
    try {
      const begin = (): Promise<void> => Promise.resolve();
      const { bytes, verification, nothingMatches } = await press.make(task, {
        signal: this.#ending.signal,
        begin,
      });
      if (nothingMatches !== null) {
        this.#options.logger.warn(
          { schedule: name, nothingMatches },
          'nothing matches the filter of a scheduled report',
        );
      }
      return { file, bytes, verification, until };
    } catch (error) {
      await undelivered.drop({ file });
      throw error;
    }
  }

  async #fail(error: unknown, period: SchedulePeriod | null): Promise<void> {
    const { clock, logger } = this.#options;
    const reason = error instanceof AdapterError ? `${error.code}: ${error.message}` : fileFault(error);
    this.failed += 1;
    this.#failures += 1;
    this.failingSince ??= clock.now();
    if (period === null || period.until <= this.#toldUntil) return;
    logger.warn(
      { schedule: this.schedule.name, reason },
      'a scheduled report could not be made or delivered; it is tried again',
    );
    this.#toldUntil = period.until;
    // The ledger may be what is away.
    await this.#record('Refused', period, { reason: reason.slice(0, 1_000) }).catch(() => undefined);
  }

  /**
   * As the ledger says, which restarts and other processes know, too. Reports that were made while the clock was ahead
   * are on periods that had not ended: they are passed over, and those periods are reported on when they have.
   */
  async #lastReported(now: number): Promise<number> {
    const { items } = await this.#options.ledger.entries({
      kinds: ['OperatorAction'],
      actor: actorOf(this.schedule),
      order: 'NewestFirst',
      limit: maximumEarlier,
    });
    const ends = items.flatMap(({ entry }) => {
      const { outcome, arguments: given } = entry.payload as Recorded;
      return outcome === 'Accepted' ? [Date.parse(given?.until ?? '') || 0] : [];
    });
    const ended = ends.find((until) => until <= now);
    if (ended !== undefined) return ended;
    // Where only a part of what there is was looked at, an old period is rather left out than reported on twice.
    return items.length < maximumEarlier ? 0 : now;
  }

  async #record(
    outcome: 'Accepted' | 'Refused',
    { from, until }: SchedulePeriod,
    { reason, ...details }: Readonly<Record<string, string | number | null>>,
  ): Promise<void> {
    const given = {
      schedule: this.schedule.name,
      format: this.schedule.format,
      from: new Date(from).toISOString(),
      until: new Date(until).toISOString(),
      ...details,
    };
    const appended = await this.#options.writer.append({
      drafts: [
        {
          stream: adminStream,
          kind: 'OperatorAction',
          time: this.#options.clock.now(),
          payload: {
            actor: actorOf(this.schedule),
            action: 'MakeReport',
            outcome,
            reason: reason === undefined ? null : (reason as string | null),
            arguments: given,
          },
        },
      ],
    });
    if (appended.ok) return;
    const { code } = appended.error;
    throw new AdapterError({ code, message: `the report could not be recorded: ${code}`, retryable: true });
  }
}

const hanging = new AdapterError({
  code: 'Timeout',
  message: `the place of the report has not taken it for ${hangingMilliseconds / 1_000} seconds`,
  retryable: true,
});

interface Recorded {
  readonly outcome?: string;
  readonly arguments?: { readonly until?: string };
}

function timeText(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}

/** No person and no token has a `:` with it before its name. */
function actorOf({ name }: ReportSchedule): string {
  return `schedule:${name}`;
}
