import {
  afterAttempt,
  type AnnouncedDuration,
  type Election,
  expiredHolders,
  isPastDeadline,
  observeLease,
  openElection,
  opensAt,
  planAttempt,
  planRelease,
  type StoredLease,
} from '#coordination';
import type { ElectionTools } from './election-tools.ts';
import { RepeatedConflict } from './repeated-conflict.ts';

/** When the Leases were read, by the clock of elections. */
export interface LeaseLook {
  readonly sentAt: number;
  readonly readAt: number;
}

type ContestedLeaseTools = Pick<
  ElectionTools,
  'identity' | 'leases' | 'clock' | 'terms' | 'advertisedUrl' | 'ending'
>;

/** One Lease that processes compete for, as this one sees and writes it: `libs/coordination` says what comes next. */
export class ContestedLease {
  readonly name: string;
  readonly #tools: ContestedLeaseTools;
  readonly #announced: AnnouncedDuration;
  #election: Election;
  /** When the last write was answered, by the clock of elections. */
  #writtenAt = Number.NEGATIVE_INFINITY;
  #lastWrite: Promise<unknown> = Promise.resolve();
  readonly #conflicts: RepeatedConflict;

  /** @param announced of other replicas */
  constructor(name: string, tools: ContestedLeaseTools, announced: AnnouncedDuration) {
    this.name = name;
    this.#tools = tools;
    this.#announced = announced;
    this.#election = openElection(name, tools.identity);
    this.#conflicts = new RepeatedConflict(name);
  }

  /** As it was last seen; null: there is none, or it was not looked at. */
  get stored(): StoredLease | null {
    return this.#election.seen?.lease ?? null;
  }

  /** Since when it is seen so, by the clock of elections; null: it was not looked at. */
  get seenSince(): number | null {
    return this.#election.seen?.since ?? null;
  }

  /** When the last renewal that succeeded was sent, by the clock of elections; null: this process does not hold it. */
  get renewedAt(): number | null {
    return this.#election.held?.renewedAt ?? null;
  }

  /** Whether this process holds it, and could not renew it in time. */
  get isOverdue(): boolean {
    return isPastDeadline(this.#election, this.#tools.clock.elapsed(), this.#tools.terms);
  }

  /** From when on this process may try to win it, by the clock of elections; null: it was not looked at, or is held. */
  get opensAt(): number | null {
    return opensAt(this.#election, this.#tools.terms, this.#announced);
  }

  /**
   * Takes in what a look at the Leases found. One that was under way while this process wrote may not know of it.
   *
   * @returns whether this process held it, within its deadline, and holds it no more: nobody takes a Lease over before
   *   that, so that somebody has edited it
   */
  observe(lease: StoredLease | null, { sentAt, readAt }: LeaseLook): boolean {
    if (sentAt < this.#writtenAt) return false;
    this.#conflicts.observe(lease, sentAt);
    const before = this.#election;
    this.#election = observeLease(before, lease, readAt);
    const isLost = before.held !== null && this.#election.held === null;
    return isLost && !isPastDeadline(before, readAt, this.#tools.terms);
  }

  /**
   * Tries to win it.
   *
   * @returns whose deadlines are over; null: it is not, or not any more, this process's
   * @throws AdapterError where the API server fails, or refuses it again although nobody has changed it: to be tried again
   */
  win(): Promise<readonly string[] | null> {
    // Not aborted: one that was won unnoticed would have to expire.
    return this.#inTurn(() => this.#attempt());
  }

  /**
   * Renews it where it is held, and still is when it is this write's turn.
   *
   * @throws AdapterError where the API server fails, or refuses it again although nobody has changed it
   */
  async renew(isWanted: () => boolean): Promise<void> {
    await this.#inTurn(async () => {
      if (this.#election.held !== null && isWanted()) await this.#attempt(this.#tools.ending);
    });
  }

  /** Gives it away where it is held. @throws AdapterError */
  async release(): Promise<void> {
    await this.#inTurn(async () => {
      if (await this.#isReleased()) return;
      // A renewal whose answer was lost has made another version.
      const { leases, clock } = this.#tools;
      const found = (await leases.list()).find(({ name }) => name === this.name) ?? null;
      this.#election = observeLease(this.#election, found, clock.elapsed());
      await this.#isReleased();
    });
  }

  /** Forgets what was seen: it is competed for anew from the next look on. */
  forget(): void {
    this.#election = openElection(this.name, this.#tools.identity);
  }

  async #attempt(signal?: AbortSignal): Promise<readonly string[] | null> {
    const { leases, clock, terms, advertisedUrl } = this.#tools;
    const sentAt = clock.elapsed();
    const moment = { now: sentAt, time: clock.now(), terms, advertisedUrl, announced: this.#announced };
    const attempt = planAttempt(this.#election, moment);
    if (attempt === null) return null;
    const expired = expiredHolders(this.#election, attempt);
    const write =
      attempt.kind === 'Create'
        ? await leases.create(this.name, attempt.record, signal)
        : await leases.update(attempt.observed, attempt.record, signal);
    if (write.kind === 'Conflict') {
      this.#conflicts.noteRefused(attempt, clock.elapsed());
      return null;
    }
    this.#conflicts.noteWritten();
    this.#writtenAt = clock.elapsed();
    this.#election = afterAttempt(this.#election, attempt, { lease: write.lease, sentAt });
    return expired;
  }

  /** Releases it as it was seen last. @returns whether it is not this process's any more */
  async #isReleased(): Promise<boolean> {
    const { leases, clock } = this.#tools;
    const released = planRelease(this.#election, clock.now());
    const write = released === null ? null : await leases.update(released, released.record);
    this.#writtenAt = clock.elapsed();
    return write?.kind !== 'Conflict';
  }

  /** Writes take turns: each is made on the version that the one before has left. */
  #inTurn<T>(write: () => Promise<T>): Promise<T> {
    const turn = this.#lastWrite.then(write);
    this.#lastWrite = turn.catch(() => undefined);
    return turn;
  }
}
