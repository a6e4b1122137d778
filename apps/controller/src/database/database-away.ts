import { AdapterError, databaseCondition } from '#kernel';

/** That the database is not reached. */
export interface DatabaseOutage {
  /** Since when, RFC 3339. */
  readonly since: string;
  /** What came of the latest attempt: the adapter's code. */
  readonly code: string;
  /** The same for who may view something: it names addresses. */
  readonly message: string;
}

/** An error of a database that is not reached, which says since when. Its code and message are the adapter's. */
export class DatabaseAway extends AdapterError {
  readonly outage: DatabaseOutage;

  constructor(error: AdapterError, outage: DatabaseOutage) {
    const { code, message, retryable, retryAfterMilliseconds, system, cause } = error;
    super({ code, message, retryable, retryAfterMilliseconds, system, cause });
    this.outage = outage;
  }
}

/** Whether the database is what failed, whichever of its requests. */
export function isOfDatabase(error: unknown): error is AdapterError {
  return error instanceof AdapterError && error.system === 'Database';
}

/** Nothing but a look at the server, or at its address, mends these: no request is answered. */
const awayCodes: ReadonlySet<string> = new Set(['ConnectionFailed', 'AccessDenied']);

/** Since when the database is not reached, and why, as the beginning of a sentence without an address. */
export function outageText({ since, code }: Pick<DatabaseOutage, 'since' | 'code'>): string {
  return `the database cannot be reached since ${since.replace(/\.\d+(?=Z$)/, '')} (${databaseCondition(code)})`;
}

/** What people wait for before they are told that a database which holds its connections open does not answer. */
const silentMilliseconds = 5_000;

interface ReachClock {
  /** RFC 3339. */
  readonly now: () => string;
  /** Milliseconds that no clock which is set changes. */
  readonly elapsed: () => number;
}

const systemClock: ReachClock = { now: () => new Date().toISOString(), elapsed: () => performance.now() };

/**
 * Since when the database is not reached, by what comes of the requests to it. A brief request is one that a database
 * answers at once if it answers at all: one that is silent for five seconds is an outage, and so is one that times out.
 * Others may just be slow.
 */
export class DatabaseReach {
  readonly #clock: ReachClock;
  #outage: DatabaseOutage | null = null;
  /** Brief requests without an answer, oldest first. */
  readonly #silent = new Set<{ readonly sentAt: number; readonly since: string }>();

  constructor(clock: ReachClock = systemClock) {
    this.#clock = clock;
  }

  /** Null: the latest request was answered. */
  get outage(): DatabaseOutage | null {
    return this.#outage ?? this.#silence;
  }

  /** Does a brief request. @throws DatabaseAway where the database is not reached */
  async probe<T>(request: () => Promise<T>): Promise<T> {
    const sent = { sentAt: this.#clock.elapsed(), since: this.#clock.now() };
    this.#silent.add(sent);
    try {
      const answer = await request();
      this.#outage = null;
      return answer;
    } catch (error) {
      throw this.#noted(error, sent.since);
    } finally {
      this.#silent.delete(sent);
    }
  }

  /**
   * Does a request whose answer somebody waits for: not while a brief one is silent, which says first that the database
   * answers again.
   *
   * @throws DatabaseAway where the database is not reached
   */
  async ask<T>(request: () => Promise<T>): Promise<T> {
    const silence = this.#silence;
    if (silence === null) return this.during(request);
    const { code, message } = silence;
    const error = new AdapterError({ code, message, retryable: true, system: 'Database' });
    throw new DatabaseAway(error, this.#outage ?? silence);
  }

  /** Does a request. @throws DatabaseAway where the database is not reached */
  async during<T>(request: () => Promise<T>): Promise<T> {
    try {
      const answer = await request();
      this.#outage = null;
      return answer;
    } catch (error) {
      throw this.#noted(error, null);
    }
  }

  /** @param briefSince when the request was sent, if it was a brief one */
  #noted(error: unknown, briefSince: string | null): unknown {
    if (!(error instanceof AdapterError)) return error;
    const { code, message } = error;
    const isAway = awayCodes.has(code) || (code === 'Timeout' && briefSince !== null);
    if (isAway)
      this.#outage = { since: this.#outage?.since ?? briefSince ?? this.#clock.now(), code, message };
    const outage = this.#outage;
    return code === 'OutcomeUnknown' || outage === null ? error : new DatabaseAway(error, outage);
  }

  get #silence(): DatabaseOutage | null {
    const [oldest] = this.#silent;
    if (oldest === undefined || this.#clock.elapsed() - oldest.sentAt < silentMilliseconds) return null;
    return {
      since: oldest.since,
      code: 'Timeout',
      message: 'the database holds its connections open and does not answer',
    };
  }
}
