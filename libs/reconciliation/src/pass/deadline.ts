import type { ClockPort } from '../ports/clock.port.ts';

/** Thrown where the wait for something ends at a {@link Deadline}. Its message says what was waited for. */
export class DeadlineExceeded extends Error {
  override readonly name = 'DeadlineExceeded';
}

/** A wait under way. */
interface Wait {
  /** Its name, as it is when the deadline comes. */
  readonly call: () => string;
  /** When it began, in milliseconds of the clock that never goes back. */
  readonly since: number;
}

/**
 * The end of the time that something may take. What waits through {@link Deadline.race} stops waiting at the deadline, also on
 * a port that never answers, and nothing after it runs: so no straggler acts on a policy that is another pass's by
 * then.
 */
export class Deadline {
  readonly milliseconds: number;
  readonly #clock: ClockPort;
  /** Made when something asks for them, as the waits are: most of what has a deadline waits for nothing. */
  #controller: AbortController | null = null;
  #expiry: PromiseWithResolvers<never> | null = null;
  #expired: DeadlineExceeded | null = null;
  #isAbandoned = false;
  #end: number;
  #cancel: () => void;
  #waits: Set<Wait> | null = null;

  constructor(clock: ClockPort, milliseconds: number) {
    this.milliseconds = milliseconds;
    this.#clock = clock;
    this.#end = clock.monotonicMilliseconds() + milliseconds;
    this.#cancel = this.#schedule(milliseconds, `no end within ${milliseconds} ms`);
  }

  /** Brings the end forward to so many milliseconds from now; a deadline that is nearer stays. */
  shorten(milliseconds: number, reason: string): void {
    const end = this.#clock.monotonicMilliseconds() + milliseconds;
    if (end >= this.#end) return;
    this.#end = end;
    this.#cancel();
    this.#cancel = this.#schedule(milliseconds, reason);
  }

  /** Lets it come now, for work that has changed nothing yet: another process does it from its beginning. */
  abandon(reason: string): void {
    if (this.#expired !== null) return;
    this.#cancel();
    this.#isAbandoned = true;
    this.#expire(reason);
  }

  /** Whether the work was ended before it had changed anything, and not for having taken too long. */
  get isAbandoned(): boolean {
    return this.#isAbandoned;
  }

  #schedule(milliseconds: number, reason: string): () => void {
    return this.#clock.schedule(milliseconds, () => this.#expire(reason));
  }

  #expire(reason: string): void {
    this.#expired = new DeadlineExceeded(`${reason}${this.#describeWaits()}`);
    this.#expiry?.reject(this.#expired);
    this.#controller?.abort();
  }

  /** For ports: aborted at the deadline. */
  get signal(): AbortSignal {
    if (this.#controller === null) {
      this.#controller = new AbortController();
      if (this.#expired !== null) this.#controller.abort();
    }
    return this.#controller.signal;
  }

  /** Whether the deadline has come. */
  get isExpired(): boolean {
    return this.#expired !== null;
  }

  /**
   * The promise's value, or {@link DeadlineExceeded} when the deadline comes first.
   *
   * @param call what is waited for, for the person who reads that it did not come: `GET of the scale of Deployment web`
   */
  async race<T>(promise: Promise<T>, call: string | (() => string)): Promise<T> {
    if (this.#expired !== null) {
      promise.catch(() => undefined);
      throw this.#expired;
    }
    const since = this.#clock.monotonicMilliseconds();
    const wait = { call: typeof call === 'string' ? () => call : call, since };
    const waits = (this.#waits ??= new Set());
    waits.add(wait);
    try {
      return await Promise.race([promise, this.#awaitExpiry()]);
    } finally {
      waits.delete(wait);
    }
  }

  /** One that waits within another, as a call does that has got its place, has the same name and begins later. */
  #describeWaits(): string {
    const now = this.#clock.monotonicMilliseconds();
    const since = new Map([...(this.#waits ?? [])].map((wait) => [wait.call(), wait.since]));
    if (since.size === 0) return '';
    const described = [...since].map(([call, at]) => `${Math.round((now - at) / 1_000)} s for ${call}`);
    return `, after ${described.join(' and ')}`;
  }

  #awaitExpiry(): Promise<never> {
    if (this.#expiry !== null) return this.#expiry.promise;
    this.#expiry = Promise.withResolvers<never>();
    // Where nothing waits at that moment, the rejection must not end the process.
    this.#expiry.promise.catch(() => undefined);
    return this.#expiry.promise;
  }

  /** Ends the wait without a deadline; must be called when the work is done. */
  clear(): void {
    this.#cancel();
  }
}
