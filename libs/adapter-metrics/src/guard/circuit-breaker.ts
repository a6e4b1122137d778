import { AdapterError, messageOf } from '#kernel';

/** `Open`: nothing is asked. `HalfOpen`: a few calls find out whether it answers again. */
export type BreakerState = 'Closed' | 'Open' | 'HalfOpen';

/** What a failed call says of its source. `Answer`: it works, and refuses this one; `Unknown`: the call was given up. */
export type FailureMeaning = 'Outage' | 'Answer' | 'Unknown';

/** Time and chance, for tests. */
export interface SourceTiming {
  /** Milliseconds of a clock that never goes back. */
  readonly now: () => number;
  /** In [0, 1). */
  readonly random: () => number;
}

/** One slow query among many that work is no outage: failures count only where nothing has worked for as long. */
const silentMilliseconds = 20_000;
const failuresUntilOpen = 5;
const openMilliseconds = 10_000;
/** A source that is back is noticed within half a minute. */
const longestOpenMilliseconds = 30_000;
/** Several, since one of them may be the query that is slow of its own. */
const maximumTrials = 3;

/**
 * Stops asking what does not answer: it opens after five failures in a row without a success for 20 s, for 10, 20 and
 * then 30 s (±25 %, so that breakers of one outage do not close together), and closes with the first call that works.
 */
export class CircuitBreaker {
  readonly #timing: SourceTiming;
  #failures = 0;
  #workedAt: number;
  #openings = 0;
  /** Null: closed. */
  #openUntil: number | null = null;
  #trials = 0;
  #lastFailure = '';

  constructor(timing: SourceTiming) {
    this.#timing = timing;
    this.#workedAt = timing.now() - silentMilliseconds;
  }

  get state(): BreakerState {
    if (this.#openUntil === null) return 'Closed';
    return this.#timing.now() < this.#openUntil ? 'Open' : 'HalfOpen';
  }

  /** @throws AdapterError `CircuitOpen` where nothing may be asked now */
  requireClosed(): void {
    const { state } = this;
    if (state === 'Closed' || (state === 'HalfOpen' && this.#trials < maximumTrials)) return;
    const message = `not asked for a while, since it did not answer: ${this.#lastFailure}`;
    throw new AdapterError({ code: 'CircuitOpen', message, retryable: true });
  }

  /** Runs a call, and learns from it. @throws AdapterError `CircuitOpen`; what the call throws */
  async run<T>(call: () => Promise<T>, meaningOf: (error: unknown) => FailureMeaning): Promise<T> {
    this.requireClosed();
    const isTrial = this.state === 'HalfOpen';
    if (isTrial) this.#trials += 1;
    try {
      const value = await call();
      this.#noteSuccess();
      return value;
    } catch (error) {
      const meaning = meaningOf(error);
      if (meaning === 'Outage') this.#noteFailure(error);
      if (meaning === 'Answer') this.#noteSuccess();
      throw error;
    } finally {
      if (isTrial) this.#trials -= 1;
    }
  }

  #noteSuccess(): void {
    this.#failures = 0;
    this.#openings = 0;
    this.#openUntil = null;
    this.#workedAt = this.#timing.now();
  }

  #noteFailure(error: unknown): void {
    this.#failures += 1;
    this.#lastFailure = messageOf(error);
    const now = this.#timing.now();
    if (this.state === 'Open') return;
    const isSilent = now - this.#workedAt >= silentMilliseconds && this.#failures >= failuresUntilOpen;
    if (this.#openUntil === null && !isSilent) return;
    const milliseconds = Math.min(openMilliseconds * 2 ** this.#openings, longestOpenMilliseconds);
    this.#openings += 1;
    this.#openUntil = now + milliseconds * (0.75 + this.#timing.random() / 2);
  }
}
