import { OutageLog } from '../../logging/outage-log.ts';
import type { ElectionTools } from './election-tools.ts';

/** What is asked of the API server over and over, each by itself. */
type LeaseTask = 'announce' | 'look' | 'renew';

/** Says that Leases fail, and that they work again: they fail for as long as anything that is asked of them does. */
export class LeaseOutages {
  readonly #log: OutageLog;
  readonly #ending: AbortSignal;
  /** What each failed with last; null: it succeeded. */
  readonly #failures: Record<LeaseTask, { readonly error: unknown } | null> = {
    announce: null,
    look: null,
    renew: null,
  };

  constructor({ logger, ending }: Pick<ElectionTools, 'logger' | 'ending'>) {
    this.#ending = ending;
    this.#log = new OutageLog(logger, {
      fails: 'the Leases could not be looked at or renewed',
      works: 'the Leases are looked at and renewed again',
    });
  }

  /** Since when they fail, RFC 3339 by the machine's clock; null: they work. */
  get failingSince(): string | null {
    return this.#log.failingSince;
  }

  /** What they failed with last, in a sentence; null: they work. */
  get failure(): string | null {
    return this.#log.failure;
  }

  /** Does what is asked; what it throws is said, unless the process ends. */
  async during(task: LeaseTask, act: () => Promise<void>): Promise<void> {
    const failure = await act().then(
      () => null,
      (error: unknown) => ({ error }),
    );
    if (this.#ending.aborted) return;
    this.#failures[task] = failure;
    const first = Object.values(this.#failures).find((each) => each !== null);
    if (first === undefined) this.#log.noteSuccess();
    else this.#log.noteFailure(first.error);
  }
}
