import { AdapterError, messageOf, Semaphore } from '#kernel';
import {
  type BreakerState,
  CircuitBreaker,
  type FailureMeaning,
  type SourceTiming,
} from './circuit-breaker.ts';

/** How a source is asked. */
export interface MetricSourceOptions {
  /** For messages and metrics: `metrics.k8s.io`, `prometheus/main`, `recommender/HOST`. */
  readonly name: string;
  /** Calls at a time. */
  readonly maximumConcurrency: number;
  /** How long a call may take, and how long it may wait for its place before. */
  readonly timeoutMilliseconds: number;
  readonly timing: SourceTiming;
}

/** How a source is doing. */
export interface SourceHealth {
  readonly name: string;
  readonly breaker: BreakerState;
  readonly running: number;
  readonly waiting: number;
  /** Since the start. `refused`: not sent, because the breaker was open or too many waited. */
  readonly calls: { readonly succeeded: number; readonly failed: number; readonly refused: number };
}

/** These say that the source does not work, not that it has no answer to one question. */
const outages: ReadonlySet<string> = new Set([
  'Timeout',
  'Unreachable',
  'NotConnected',
  'Unavailable',
  'TooManyRequests',
]);

/**
 * One source of metrics behind a bulkhead, a deadline and a circuit breaker of its own: whatever it does, calls of other
 * sources wait for nothing of it.
 */
export class MetricSource {
  readonly #options: MetricSourceOptions;
  readonly #semaphore: Semaphore;
  readonly #breaker: CircuitBreaker;
  readonly #calls = { succeeded: 0, failed: 0, refused: 0 };
  #running = 0;
  #waiting = 0;

  constructor(options: MetricSourceOptions) {
    this.#options = options;
    this.#semaphore = new Semaphore(options.maximumConcurrency);
    this.#breaker = new CircuitBreaker(options.timing);
  }

  get health(): SourceHealth {
    return {
      name: this.#options.name,
      breaker: this.#breaker.state,
      running: this.#running,
      waiting: this.#waiting,
      calls: { ...this.#calls },
    };
  }

  /**
   * Makes a call as soon as there is a place for it.
   *
   * @param signal of who asks; the call gets one that also ends at the deadline
   * @throws AdapterError `CircuitOpen` or `Overloaded` where it was not sent, `Timeout` at the deadline; the signal's
   *   reason; what the call throws
   */
  async run<T>(call: (signal: AbortSignal) => Promise<T>, signal?: AbortSignal): Promise<T> {
    const request = { isSent: false };
    this.#waiting += 1;
    try {
      this.#breaker.requireClosed();
      return await this.#withPlace(signal, () => {
        this.#waiting -= 1;
        request.isSent = true;
        return this.#call(call, signal);
      });
    } catch (error) {
      if (!request.isSent) {
        this.#waiting -= 1;
        this.#calls.refused += 1;
      }
      throw error;
    }
  }

  async #withPlace<T>(signal: AbortSignal | undefined, call: () => Promise<T>): Promise<T> {
    const { timeoutMilliseconds } = this.#options;
    const patience = AbortSignal.timeout(timeoutMilliseconds);
    const request = { isPlaced: false };
    try {
      return await this.#semaphore.run(anyOf(patience, signal), () => {
        request.isPlaced = true;
        return call();
      });
    } catch (error) {
      if (request.isPlaced || signal?.aborted === true || !patience.aborted) throw error;
      const message = `no place for the request within ${timeoutMilliseconds / 1_000} s: those before it take as long`;
      throw new AdapterError({ code: 'Overloaded', message, retryable: true });
    }
  }

  async #call<T>(call: (signal: AbortSignal) => Promise<T>, signal: AbortSignal | undefined): Promise<T> {
    this.#running += 1;
    try {
      const value = await this.#breaker.run(
        () => this.#beforeDeadline(call, signal),
        (error) => (signal?.aborted === true ? 'Unknown' : meaningOf(error)),
      );
      this.#calls.succeeded += 1;
      return value;
    } catch (error) {
      const isRefused = error instanceof AdapterError && error.code === 'CircuitOpen';
      this.#calls[isRefused ? 'refused' : 'failed'] += 1;
      throw error;
    } finally {
      this.#running -= 1;
    }
  }

  /** Ends the wait at the deadline, also where the call heeds no signal. */
  async #beforeDeadline<T>(
    call: (signal: AbortSignal) => Promise<T>,
    signal: AbortSignal | undefined,
  ): Promise<T> {
    const { timeoutMilliseconds } = this.#options;
    const deadline = AbortSignal.timeout(timeoutMilliseconds);
    const either = anyOf(deadline, signal);
    const { promise: ended, reject } = Promise.withResolvers<never>();
    const onAbort = (): void => reject(either.reason as Error);
    either.addEventListener('abort', onAbort, { once: true });
    try {
      return await Promise.race([call(either), ended]);
    } catch (error) {
      if (signal?.aborted === true || !deadline.aborted) throw error;
      const message = `no answer within ${timeoutMilliseconds / 1_000} s`;
      throw new AdapterError({
        code: 'Timeout',
        message,
        retryable: true,
        cause: new Error(messageOf(error)),
      });
    } finally {
      either.removeEventListener('abort', onAbort);
    }
  }
}

function meaningOf(error: unknown): FailureMeaning {
  if (!(error instanceof AdapterError)) return 'Unknown';
  return outages.has(error.code) ? 'Outage' : 'Answer';
}

function anyOf(first: AbortSignal, second: AbortSignal | undefined): AbortSignal {
  return second === undefined ? first : AbortSignal.any([first, second]);
}
