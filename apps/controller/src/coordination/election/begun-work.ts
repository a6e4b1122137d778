import { AdapterError, messageOf } from '#kernel';
import type { ScopeWork } from '../holdings/holdings.ts';
import type { ElectionTools } from '../leases/election-tools.ts';

/** The code of an error that says that a shard cannot begin since there is another number of them by now. */
export const shardsChanged = 'ShardsChanged';

type BegunWorkTools = Pick<ElectionTools, 'clock' | 'terms' | 'ending' | 'logger'>;

/** Who hears how the work of a scope begins: one of them, or none where it is ended before. */
export interface WorkBeginning {
  /** @param milliseconds that it took */
  readonly onBegun: (milliseconds: number) => void;
  readonly onFailed: () => void;
}

/** The work under one Lease, each time from its beginning to its end. */
export class BegunWork {
  readonly #lease: string;
  readonly #work: ScopeWork;
  readonly #tools: BegunWorkTools;
  /** Its beginning, which the end waits for. */
  #beginning: { readonly ended: Promise<void>; readonly abort: () => void } | null = null;
  #beganAt = 0;
  #notBefore = Number.NEGATIVE_INFINITY;
  #couldBegin = true;

  constructor(lease: string, work: ScopeWork, tools: BegunWorkTools) {
    this.#lease = lease;
    this.#work = work;
    this.#tools = tools;
  }

  /** When it had begun the last time, by the clock of elections. */
  get beganAt(): number {
    return this.#beganAt;
  }

  /** Until when others are let try, by the clock of elections: it could not begin here. */
  get notBefore(): number {
    return this.#notBefore;
  }

  /** Whether it could not begin here a Lease ago or less. */
  get couldNotBegin(): boolean {
    return !this.#couldBegin && this.#tools.clock.elapsed() < this.#notBefore;
  }

  /** Whether only a process that starts anew can begin it again. */
  get hasEndedForGood(): boolean {
    return this.#work.hasEnded === true;
  }

  /** Begins it in the background. */
  begin({ onBegun, onFailed }: WorkBeginning): void {
    const { clock } = this.#tools;
    const aborting = new AbortController();
    const startedAt = clock.elapsed();
    const ended = this.#work.begin(aborting.signal).then(
      () => {
        this.#beganAt = clock.elapsed();
        onBegun(Math.round(this.#beganAt - startedAt));
      },
      (error: unknown) => {
        if (!aborting.signal.aborted && !this.#tools.ending.aborted) this.#fail(error, onFailed);
      },
    );
    this.#beginning = { ended, abort: () => aborting.abort(new Error(`${this.#lease} is given up`)) };
  }

  /**
   * Ends it, where it was begun.
   *
   * @param isLost whether the fence or the Lease is lost: then nothing more may be recorded, and what is left open is
   *   restored as after a crash
   * @returns whether nothing is under way any more
   */
  async end(isLost: () => boolean): Promise<boolean> {
    const beginning = this.#beginning;
    beginning?.abort();
    await beginning?.ended;
    this.#beginning = null;
    try {
      if (beginning !== null) await this.#work.end();
      return true;
    } catch (error) {
      const isUnanswered = error instanceof AdapterError && error.code === 'WriteUnanswered';
      if (!isUnanswered && isLost()) return true;
      const { logger } = this.#tools;
      logger.warn({ lease: this.#lease, reason: messageOf(error) }, 'a scope was not given up; it expires');
      return false;
    }
  }

  #fail(error: unknown, onFailed: () => void): void {
    const { clock, terms, logger } = this.#tools;
    logger.warn({ lease: this.#lease, reason: messageOf(error) }, 'a scope could not be begun');
    this.#notBefore = clock.elapsed() + terms.leaseDurationMilliseconds;
    this.#couldBegin = error instanceof AdapterError && error.code === shardsChanged;
    onFailed();
  }
}
