import {
  type AnnouncedDuration,
  believedMilliseconds,
  mayWrite,
  nextScopePhase,
  type ScopeEvent,
  type ScopePhase,
  type StoredLease,
} from '#coordination';
import { messageOf } from '#kernel';
import type { Fence } from '#ledger';
import type { ScopeWork } from '../holdings/holdings.ts';
import { fenceTerms } from '../holdings/process-holdings.ts';
import type { ScopeLoss } from '../holdings/scope-loss.ts';
import { ContestedLease, type LeaseLook } from '../leases/contested-lease.ts';
import type { ElectionTools } from '../leases/election-tools.ts';
import { BegunWork } from './begun-work.ts';
import { ScopeFences } from './scope-fences.ts';
import { ScopeOpening } from './scope-opening.ts';

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
  /** When this process may try to win the Lease. */
  readonly opening: ScopeOpening;
  readonly #tools: ElectionTools;
  readonly #announced: AnnouncedDuration;
  #phase: ScopePhase = 'Waiting';
  readonly #lease: ContestedLease;
  readonly #fences: ScopeFences;
  readonly #work: BegunWork;
  /** Its work could not end, as with a write that has no answer. */
  #isStuck = false;
  #leaving: Promise<void> | null = null;
  /** Why it could not be given up at the last attempt; null: it was not tried, or could. */
  #notGivenUp: string | null = null;
  #isLeftForGood = false;
  /** Resolves when its work has ended, and the fence is given up or could not be. */
  readonly #fencesGivenUp = Promise.withResolvers<undefined>();

  /** @param announced of other replicas */
  constructor(
    { name, scopes, work }: ElectedScopeOptions,
    tools: ElectionTools,
    announced: AnnouncedDuration,
  ) {
    this.#tools = tools;
    this.#announced = announced;
    this.#lease = new ContestedLease(name, tools, announced);
    this.#fences = new ScopeFences(scopes, tools);
    this.#work = new BegunWork(name, work, tools);
    const parts = { lease: this.#lease, work: this.#work, isWanted: () => this.#phase === 'Waiting' };
    this.opening = new ScopeOpening(parts, tools);
  }

  /** Of the Lease. */
  get name(): string {
    return this.#lease.name;
  }

  get phase(): ScopePhase {
    return this.#phase;
  }

  get fences(): readonly Fence[] {
    return this.#fences.held;
  }

  /** Since when the fences are held, RFC 3339 by the machine's clock; null: they are not. */
  get heldSince(): string | null {
    return this.#fences.heldSince;
  }

  /** Since when all of its work is done here, by the clock of elections; null: it is not. */
  get beganAt(): number | null {
    return this.#phase === 'Held' ? this.#work.beganAt : null;
  }

  /** The Lease as it was last seen; null: there is none, or it was not looked at. */
  get lease(): StoredLease | null {
    return this.#lease.stored;
  }

  /** Why this process can go on no longer, as where the fence or the right to write may be another's by now; null: it can. */
  get loss(): ScopeLoss | null {
    if (this.#isStuck) return 'Unanswered';
    if (this.#phase === 'Waiting')
      return this.#work.hasEndedForGood && this.opening.isLeftByOthers ? 'Ended' : null;
    if (this.#phase === 'GivenUp') return null;
    if (this.#lease.renewedAt === null) return this.#phase === 'Leaving' ? null : 'TakenOver';
    return this.#lease.isOverdue ? 'Overdue' : null;
  }

  mayWrite(): boolean {
    const { renewedAt } = this.#lease;
    if (renewedAt === null || this.fences.length === 0 || this.#phase === 'Leaving') return false;
    const { clock, terms } = this.#tools;
    const now = clock.elapsed();
    const { renewedAt: fence } = this.#fences;
    if (now - fence >= fenceTerms.renewDeadlineMilliseconds) return false;
    return mayWrite({ lease: renewedAt, fence }, now, terms);
  }

  /** Whether it was won and has no fence yet, or could not be given up before. */
  get isUnfinished(): boolean {
    return this.#phase === 'Elected' || this.#phase === 'Leaving' || this.#phase === 'GivenUp';
  }

  /** Whether its work could not begin here a Lease ago or less. */
  get couldNotBegin(): boolean {
    return this.#work.couldNotBegin;
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
    this.#fences.noteRenewed(sentAt);
  }

  addFences(fences: readonly Fence[]): void {
    this.#fences.add(fences);
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
    if (this.opening.isNow && !this.#hasLeft() && !this.#work.hasEndedForGood) await this.#win();
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
      // One whose fence or Lease is lost may record nothing more.
      const isLost = (): boolean => this.#fences.areLost || this.#lease.renewedAt === null;
      this.#isStuck = !(await this.#work.end(isLost));
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

  /** What was read under the lost fence may be stale: nothing is written any more. */
  lose(): void {
    this.#fences.lose();
  }

  /**
   * Releases the Lease where the database cannot be told: the fence expires by the database's clock, so that a write that
   * is under way has as long as without Leases.
   *
   * @throws AdapterError where the API server fails: the Lease expires
   */
  async resign(): Promise<void> {
    this.#fences.leaveToExpire();
    await this.#lease.release();
  }

  async #win(): Promise<void> {
    const seen = await this.#fences.look();
    if (this.#hasLeft()) return;
    const expired = await this.#lease.win();
    if (expired === null) return;
    if (this.#hasLeft()) {
      await this.#lease.release();
      return;
    }
    this.#fences.noteWon(seen, expired);
    this.#step('Elect');
  }

  /** It may be so after any wait. */
  #hasLeft(): boolean {
    return this.#isLeftForGood;
  }

  async #takeFence(): Promise<void> {
    const taken = await this.#fences.take(() => !this.#lease.isOverdue);
    if (taken === null) return;
    if (this.#phase !== 'Elected') {
      await this.#fences.giveBack(taken);
      return;
    }
    this.#fences.hold(taken);
    this.#step('Fence');
    const epoch = String(this.fences[0]?.epoch);
    this.#tools.logger.info({ lease: this.name, epoch }, 'took a scope');
    this.#work.begin({
      onBegun: (milliseconds) => {
        if (this.#phase !== 'Fenced') return;
        this.#step('Restore');
        this.#tools.logger.info({ lease: this.name, milliseconds }, 'began a scope');
      },
      // Not awaited: leaving waits for this.
      onFailed: () => void this.leave(),
    });
  }

  async #giveUp(): Promise<void> {
    const isGiven = await this.#fences.giveUp();
    this.#fencesGivenUp.resolve(undefined);
    if (this.#phase === 'Leaving') this.#step('GiveUp');
    await this.#lease.release();
    this.#lease.forget();
    this.#step('Release');
    if (isGiven) this.#tools.logger.info({ lease: this.name }, 'gave a scope up');
  }

  #step(event: ScopeEvent): void {
    const next = nextScopePhase(this.#phase, event);
    if (next === null) throw new Error(`a scope that is ${this.#phase} cannot ${event}`);
    this.#phase = next;
  }
}
