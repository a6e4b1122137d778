import {
  type AnnouncedDuration,
  believedMilliseconds,
  mayWrite,
  nextScopePhase,
  type ScopeEvent,
  type ScopePhase,
  type StoredLease,
} from '#coordination';
import { AdapterError, messageOf } from '#kernel';
import type { Fence, SeenScope } from '#ledger';
import { ContestedLease, type LeaseLook } from './contested-lease.ts';
import type { ElectionTools } from './election-tools.ts';
import type { ScopeWork } from './holdings.ts';
import { fenceTerms } from './process-holdings.ts';
import type { ScopeLoss } from './scope-loss.ts';

/** The code of an error that says that a shard cannot begin since there is another number of them by now. */
export const shardsChanged = 'ShardsChanged';

/** What a process could not give up when it ended. */
export interface NotGivenUp {
  readonly lease: string;
  readonly reason: string;
}

/** A Lease, the scopes of its holder, and their work. */
export interface ElectedScopeOptions {
  /** Of the Lease. */
  readonly name: string;
  /** The scopes of the database that its holder takes together. */
  readonly scopes: () => Promise<readonly string[]>;
  readonly work: ScopeWork;
}

/** One Lease and the fences under it, from this process's side: `libs/coordination` says what comes next. */
export class ElectedScope {
  readonly #options: ElectedScopeOptions;
  readonly #tools: ElectionTools;
  readonly #announced: AnnouncedDuration;
  #phase: ScopePhase = 'Waiting';
  readonly #lease: ContestedLease;
  /** As they were before the Lease was won; null: to be looked at. */
  #seen: readonly SeenScope[] | null = null;
  /** Whose fences it may take before they have expired. */
  #expired: readonly string[] = [];
  #fences: readonly Fence[] = [];
  /** Those that may be another's by now; they are given up as far as they are not. */
  #lostFences: readonly Fence[] = [];
  #fencesRenewedAt = 0;
  /** When the fences were taken, RFC 3339. */
  #fencesTakenAt = '';
  /** When its work had begun, by the clock of elections. */
  #beganAt = 0;
  /** Until when others are let try, by the clock of elections: its work could not begin here. */
  #notBefore = Number.NEGATIVE_INFINITY;
  #couldBegin = true;
  /** Its work could not end, as with a write that has no answer. */
  #isStuck = false;
  #leaving: Promise<void> | null = null;
  /** Why it could not be given up at the last attempt; null: it was not tried, or could. */
  #notGivenUp: string | null = null;
  #isLeftForGood = false;
  /** Resolves when its work has ended, and the fence is given up or could not be. */
  readonly #fencesGivenUp = Promise.withResolvers<undefined>();
  /** The beginning of its work, which the end waits for. */
  #taking: { readonly ended: Promise<void>; readonly abort: () => void } | null = null;

  /** @param announced of other replicas */
  constructor(options: ElectedScopeOptions, tools: ElectionTools, announced: AnnouncedDuration) {
    this.#options = options;
    this.#tools = tools;
    this.#announced = announced;
    this.#lease = new ContestedLease(options.name, tools, announced);
  }

  /** Of the Lease. */
  get name(): string {
    return this.#lease.name;
  }

  get phase(): ScopePhase {
    return this.#phase;
  }

  get fences(): readonly Fence[] {
    return this.#fences;
  }

  /** Since when the fences are held, RFC 3339 by the machine's clock; null: they are not. */
  get heldSince(): string | null {
    return this.#fences.length === 0 ? null : this.#fencesTakenAt;
  }

  /** Since when all of its work is done here, by the clock of elections; null: it is not. */
  get beganAt(): number | null {
    return this.#phase === 'Held' ? this.#beganAt : null;
  }

  /** The Lease as it was last seen; null: there is none, or it was not looked at. */
  get lease(): StoredLease | null {
    return this.#lease.stored;
  }

  /** Why this process can go on no longer, as where the fence or the right to write may be another's by now; null: it can. */
  get loss(): ScopeLoss | null {
    if (this.#isStuck) return 'Unanswered';
    if (this.#phase === 'Waiting') return this.#hasWorkEnded && this.#isLeftByOthers ? 'Ended' : null;
    if (this.#phase === 'GivenUp') return null;
    if (this.#lease.renewedAt === null) return this.#phase === 'Leaving' ? null : 'TakenOver';
    return this.#lease.isOverdue ? 'Overdue' : null;
  }

  mayWrite(): boolean {
    const { renewedAt } = this.#lease;
    if (renewedAt === null || this.#fences.length === 0 || this.#phase === 'Leaving') return false;
    const { clock, terms } = this.#tools;
    const now = clock.elapsed();
    if (now - this.#fencesRenewedAt >= fenceTerms.renewDeadlineMilliseconds) return false;
    return mayWrite({ lease: renewedAt, fence: this.#fencesRenewedAt }, now, terms);
  }

  /** When this process may try to win the Lease, by the clock of elections; null: it does not want it, or knows too little. */
  get opensAt(): number | null {
    const moment = this.#phase === 'Waiting' ? this.#lease.opensAt : null;
    return moment === null ? null : Math.max(moment, this.#notBefore);
  }

  /** Whether it was won and has no fence yet, or could not be given up before. */
  get isUnfinished(): boolean {
    return this.#phase === 'Elected' || this.#phase === 'Leaving' || this.#phase === 'GivenUp';
  }

  /** Whether it may try now. */
  get isOpen(): boolean {
    const { opensAt: moment } = this;
    return moment !== null && moment <= this.#tools.clock.elapsed();
  }

  /** Whether it may try now because another holder has let the Lease expire: the policies of the scope wait. */
  get isAbandoned(): boolean {
    const holder = this.lease?.record.holder ?? null;
    return this.isOpen && holder !== null && holder !== this.#tools.identity;
  }

  /** Whether it may try now because nobody has for as long as a Lease lasts, although it is free: its policies wait. */
  get isUnclaimed(): boolean {
    const { clock, terms } = this.#tools;
    const { seenSince } = this.#lease;
    if (seenSince === null || !this.isOpen || this.isAbandoned) return false;
    return clock.elapsed() - seenSince >= terms.leaseDurationMilliseconds;
  }

  /** Whether it may try now, and others have let pass as long as a Lease lasts: its policies wait. */
  get isNeglected(): boolean {
    const { clock, terms } = this.#tools;
    const { opensAt: moment } = this;
    return moment !== null && moment + terms.leaseDurationMilliseconds <= clock.elapsed();
  }

  /** Whether its work could not begin here a Lease ago or less. */
  get couldNotBegin(): boolean {
    return !this.#couldBegin && this.#tools.clock.elapsed() < this.#notBefore;
  }

  /** Takes in what a look at the Leases found. */
  observe(lease: StoredLease | null, look: LeaseLook): void {
    if (this.#lease.observe(lease, look)) this.#leaveToEditor();
  }

  /**
   * Nobody takes a Lease over before its holder's deadline: whoever may edit Leases has given it to another name, taken the
   * name away, or deleted it, so that another process won it. The right to write is over; what is under way ends, and the
   * scope is competed for like any other: after the `seconds` that are logged, or once the Lease is deleted. A name that no
   * replica announces itself by is waited for no longer than this process's own Leases last.
   */
  #leaveToEditor(): void {
    const { logger, terms } = this.#tools;
    const holder = this.lease?.record.holder ?? null;
    const waited = holder === null ? 0 : believedMilliseconds(this.lease, terms, this.#announced);
    const isReplica = holder !== null && this.#announced(holder) !== null;
    logger.warn(
      { lease: this.name, holder, isReplica, seconds: waited / 1_000 },
      'a Lease was edited or deleted, and names another holder than this process, which gives the scope up',
    );
    void this.leave();
  }

  noteRenewedFences(sentAt: number): void {
    this.#fencesRenewedAt = sentAt;
  }

  addFences(fences: readonly Fence[]): void {
    this.#fences = [...this.#fences, ...fences];
  }

  /** Renews the Lease where it is held. @throws AdapterError where the API server fails: to be tried again */
  async renewLease(): Promise<void> {
    await this.#lease.renew(() => this.#phase !== 'GivenUp');
  }

  /**
   * Tries to win the Lease, and to take the fence once it is won; its work begins in the background.
   *
   * @throws AdapterError where the API server or the database fails: to be tried again
   */
  async compete(): Promise<void> {
    if (this.#phase === 'Leaving' || this.#phase === 'GivenUp') await this.leave();
    if (this.isOpen && !this.#hasLeft() && !this.#hasWorkEnded) await this.#win();
    if (this.#phase === 'Elected') await this.#takeFence();
  }

  /**
   * Ends its work, gives the fence up and releases the Lease; what the database or the API server does not take is
   * tried again. Where the work cannot end, as with a write that has no answer, both are left to expire: the next holder
   * has to find out what became of it.
   */
  leave(): Promise<void> {
    this.#leaving ??= this.#leave().finally(() => (this.#leaving = null));
    return this.#leaving;
  }

  async #leave(): Promise<void> {
    if (this.#phase === 'Waiting' || this.#isStuck) return;
    const { logger } = this.#tools;
    if (this.#phase !== 'Leaving' && this.#phase !== 'GivenUp') {
      this.#step('Leave');
      this.#isStuck = !(await this.#hasEnded());
    }
    if (this.#isStuck) return;
    const isNews = this.#notGivenUp === null && !this.#isLeftForGood;
    this.#notGivenUp = null;
    try {
      await this.#giveUp();
    } catch (error) {
      this.#notGivenUp = messageOf(error);
      if (isNews) logger.warn({ lease: this.name, reason: this.#notGivenUp }, 'a scope is not given up yet');
    }
  }

  /**
   * {@link leave}s when the process ends. The API server may take longer than the database.
   *
   * @returns when the fence is given up, and what is left to expire; null: nothing, or it was said
   */
  leaveForGood(): { readonly fencesGivenUp: Promise<unknown>; readonly left: Promise<NotGivenUp | null> } {
    this.#isLeftForGood = true;
    return { fencesGivenUp: this.#fencesGivenUp.promise, left: this.#leaveForGood() };
  }

  async #leaveForGood(): Promise<NotGivenUp | null> {
    await this.leave();
    this.#fencesGivenUp.resolve(undefined);
    return this.#notGivenUp === null ? null : { lease: this.name, reason: this.#notGivenUp };
  }

  /** Ends its work. @returns whether nothing is under way any more */
  async #hasEnded(): Promise<boolean> {
    const taking = this.#taking;
    taking?.abort();
    await taking?.ended;
    this.#taking = null;
    try {
      if (taking !== null) await this.#endWork();
      return true;
    } catch (error) {
      const { logger } = this.#tools;
      logger.warn({ lease: this.name, reason: messageOf(error) }, 'a scope was not given up; it expires');
      return false;
    }
  }

  /** What was read under the lost fence may be stale: nothing is written any more. */
  lose(): void {
    this.#lostFences = [...this.#lostFences, ...this.#fences];
    this.#fences = [];
  }

  /**
   * Releases the Lease where the database cannot be told: the fence expires by the database's clock, so that a write that
   * is under way has as long as without Leases.
   *
   * @throws AdapterError where the API server fails: the Lease expires
   */
  async resign(): Promise<void> {
    this.#fences = [];
    await this.#lease.release();
  }

  async #win(): Promise<void> {
    const seen = await this.#tools.fences.look(await this.#options.scopes());
    if (this.#hasLeft()) return;
    const expired = await this.#lease.win();
    if (expired === null) return;
    if (this.#hasLeft()) {
      await this.#lease.release();
      return;
    }
    this.#seen = seen;
    this.#expired = expired;
    this.#step('Elect');
  }

  /** It may be so after any wait. */
  #hasLeft(): boolean {
    return this.#isLeftForGood;
  }

  async #takeFence(): Promise<void> {
    const { fences, identity, clock, logger } = this.#tools;
    const seen = this.#seen ?? (await fences.look(await this.#options.scopes()));
    if (this.#lease.isOverdue) return;
    const sentAt = clock.elapsed();
    const taken = await fences.takeElected(seen, { holder: identity, expired: this.#expired });
    this.#seen = null;
    this.#expired = [];
    if (!taken.ok) return;
    if (this.#phase !== 'Elected') {
      await fences.giveUp(taken.value);
      return;
    }
    this.#fences = taken.value;
    this.#fencesRenewedAt = sentAt;
    this.#fencesTakenAt = clock.now();
    this.#step('Fence');
    logger.info({ lease: this.name, epoch: String(taken.value[0]?.epoch) }, 'took a scope');
    this.#beginWork();
  }

  #beginWork(): void {
    const { logger, clock, terms } = this.#tools;
    const aborting = new AbortController();
    const startedAt = clock.elapsed();
    const ended = this.#options.work.begin(aborting.signal).then(
      () => {
        if (this.#phase !== 'Fenced') return;
        this.#step('Restore');
        this.#beganAt = clock.elapsed();
        const milliseconds = Math.round(this.#beganAt - startedAt);
        logger.info({ lease: this.name, milliseconds }, 'began a scope');
      },
      (error: unknown) => {
        if (aborting.signal.aborted || this.#tools.ending.aborted) return;
        logger.warn({ lease: this.name, reason: messageOf(error) }, 'a scope could not be begun');
        this.#notBefore = clock.elapsed() + terms.leaseDurationMilliseconds;
        this.#couldBegin = error instanceof AdapterError && error.code === shardsChanged;
        // Not awaited: leaving waits for this.
        void this.leave();
      },
    );
    this.#taking = { ended, abort: () => aborting.abort(new Error(`${this.name} is given up`)) };
  }

  /** One whose fence or Lease is lost may record nothing more: what it leaves open is restored as after a crash. */
  async #endWork(): Promise<void> {
    try {
      await this.#options.work.end();
    } catch (error) {
      const isUnanswered = error instanceof AdapterError && error.code === 'WriteUnanswered';
      const isLost = this.#lostFences.length > 0 || this.#lease.renewedAt === null;
      if (isUnanswered || !isLost) throw error;
    }
  }

  async #giveUp(): Promise<void> {
    const { fences, logger } = this.#tools;
    this.lose();
    const given = this.#lostFences;
    if (given.length > 0) await fences.giveUp(given);
    this.#lostFences = [];
    this.#fencesGivenUp.resolve(undefined);
    if (this.#phase === 'Leaving') this.#step('GiveUp');
    await this.#lease.release();
    this.#lease.forget();
    this.#step('Release');
    if (given.length > 0) logger.info({ lease: this.name }, 'gave a scope up');
  }

  /** Whether others have let pass a time to take it in which each of them looks twice. */
  get #isLeftByOthers(): boolean {
    const { clock, terms } = this.#tools;
    const { opensAt: moment } = this;
    return moment !== null && moment + terms.retryPeriodMilliseconds <= clock.elapsed();
  }

  get #hasWorkEnded(): boolean {
    return this.#options.work.hasEnded === true;
  }

  #step(event: ScopeEvent): void {
    const next = nextScopePhase(this.#phase, event);
    if (next === null) throw new Error(`a scope that is ${this.#phase} cannot ${event}`);
    this.#phase = next;
  }
}
