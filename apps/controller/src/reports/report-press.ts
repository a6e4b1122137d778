import type { ClockPort } from '#reconciliation';
import { type MadeReport, makeReport, type ReportTask } from './report-thread.ts';

export interface ReportPressOptions {
  /** With its password. */
  readonly databaseUrl: () => Promise<string>;
  readonly maximumMinutes: number;
  readonly clock: Pick<ClockPort, 'schedule'>;
}

/** Makes reports one after the other: each is a thread and a connection. */
export class ReportPress {
  readonly #options: ReportPressOptions;
  #last: Promise<unknown> = Promise.resolve();

  constructor(options: ReportPressOptions) {
    this.#options = options;
  }

  /**
   * Resolves when the report is in its file; `begin` is called when its turn comes.
   *
   * @throws AdapterError where it cannot be made, takes too long, or the signal ended it
   */
  make(
    task: Omit<ReportTask, 'url'>,
    { signal, begin }: { readonly signal: AbortSignal; readonly begin: () => Promise<void> },
  ): Promise<MadeReport> {
    const made = this.#last.then(async () => {
      signal.throwIfAborted();
      await begin();
      return this.#withinTime(task, signal);
    });
    this.#last = made.catch(() => undefined);
    return made;
  }

  async #withinTime(task: Omit<ReportTask, 'url'>, signal: AbortSignal): Promise<MadeReport> {
    const { clock, maximumMinutes, databaseUrl } = this.#options;
    const late = new AbortController();
    const cancel = clock.schedule(maximumMinutes * 60_000, () => late.abort());
    try {
      return await makeReport({ ...task, url: await databaseUrl() }, AbortSignal.any([signal, late.signal]));
    } catch (error) {
      if (!late.signal.aborted) throw error;
      throw new Error(`it was not made within ${maximumMinutes} minutes: ask for a shorter period`, {
        cause: error,
      });
    } finally {
      cancel();
    }
  }
}
