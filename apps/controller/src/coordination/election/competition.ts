import {
  type Distribution,
  type LossStreak,
  openPlaces,
  retryMilliseconds,
  surplusShards,
} from '#coordination';
import { OutageLog } from '../../logging/outage-log.ts';
import type { ElectionTools } from '../leases/election-tools.ts';
import { Inability, leasesUntilNextTrial } from '../leases/inability.ts';
import type { Replica } from '../leases/replica-leases.ts';
import type { ElectedScope } from './elected-scope.ts';
import type { ElectedShards } from './elected-shards.ts';

export type CompetitionOptions = Pick<ElectionTools, 'identity' | 'clock' | 'terms' | 'logger'> & {
  readonly leader: ElectedScope;
  readonly shards: Pick<ElectedShards, 'all' | 'isChanging'>;
  /** Those that live, this one included, in an order that all of them know. */
  readonly replicas: () => readonly Replica[];
  /** Whether the database answers: what is handed over is given up there. */
  readonly isReached: () => boolean;
  /** Whether nothing is to be taken any more. */
  readonly isOver: () => boolean;
  /** What this process has lost lately; null: nothing. */
  readonly losses: LossStreak | null;
};

/** One replica's part in who holds what: it competes for the leader's scopes and its even share of the shards. */
export class Competition {
  readonly #options: CompetitionOptions;
  readonly #inability: Inability;
  readonly #failures: OutageLog;
  /** Shards in the order in which they were taken. */
  #order: readonly number[] = [];
  #nextAttemptAt = Number.NEGATIVE_INFINITY;
  /** Until when no surplus is handed over, by the clock of elections, and to whom. */
  #kept: { readonly until: number; readonly from: ReadonlySet<string> } | null = null;
  /** What was handed over last, of a surplus that is not handed over yet as a whole. */
  #offered: readonly ElectedScope[] = [];
  #competing: Promise<void> | null = null;
  #handingOver: Promise<unknown> | null = null;

  constructor(options: CompetitionOptions) {
    this.#options = options;
    this.#inability = new Inability(options);
    this.#failures = new OutageLog(options.logger, {
      fails: 'a scope could not be taken',
      works: 'no scope fails to be taken any more',
    });
  }

  /** Whether this replica takes its share of the shards: not where it could not begin, or keep, what it took lately. */
  get takesShards(): boolean {
    const { clock, losses } = this.#options;
    const heldBackUntil = losses?.until ?? Number.NEGATIVE_INFINITY;
    return !this.#inability.isUnable && clock.elapsed() >= heldBackUntil;
  }

  /** Tells people why this replica takes no shards yet, where it has lost its own again and again. */
  sayHeldBack(): void {
    const { losses, clock, logger } = this.#options;
    const milliseconds = Math.round((losses?.until ?? 0) - clock.elapsed());
    if (losses === null || milliseconds <= 0) return;
    logger.warn(
      { losses: losses.losses, milliseconds },
      'this replica has lost what it held again; others are to take its shards, and it takes them where none does',
    );
  }

  /** Takes what is open, and hands a surplus over: in the background, so that nothing is in the way of a renewal. */
  go(): void {
    const { clock, shards } = this.#options;
    if (shards.all.some(({ couldNotBegin }) => couldNotBegin)) this.#inability.begin();
    if (this.#competing === null && clock.elapsed() >= this.#nextAttemptAt)
      this.#competing = this.#compete().finally(() => (this.#competing = null));
    this.#handOver();
  }

  /** Resolves when nothing is under way. */
  async ended(): Promise<void> {
    await this.#competing;
    await this.#handingOver;
  }

  /** After a failure as seldom as client-go. What was won and cannot begin here is left to those that take shards. */
  async #compete(): Promise<void> {
    const { clock, terms, leader, shards, replicas } = this.#options;
    const isForOthers = !this.takesShards && replicas().some(({ takesShards }) => takesShards);
    if (isForOthers && this.#inability.isUnable) {
      const unfinished = [leader, ...shards.all].filter(({ isUnfinished }) => isUnfinished);
      await Promise.all(unfinished.map((scope) => scope.leave()));
      return;
    }
    const isFailing = await (isForOthers ? this.#takeNeglected() : this.#takeOpen());
    if (!isFailing) {
      this.#failures.noteSuccess();
      return;
    }
    this.#inability.noteFailure();
    this.#nextAttemptAt = clock.elapsed() + retryMilliseconds(terms, clock.random());
  }

  /**
   * Of the shards that are free no more are tried at once than may be held. Those that were abandoned are tried whatever
   * the share is, and handed over later: a replica that has just come cannot know yet that their holder is gone. So are
   * those that are free and that nobody has taken for as long as a Lease lasts.
   *
   * @returns whether an attempt failed
   */
  async #takeOpen(): Promise<boolean> {
    const { leader, clock } = this.#options;
    const { all: shards, isChanging } = this.#options.shards;
    const first = Math.floor(clock.random() * shards.length);
    const others = [...shards.slice(first), ...shards.slice(0, first)];
    // Those that are won have a place already, and want their fence; others could not be given up.
    const urgent = others.filter(
      ({ isUnfinished, opening }) =>
        isUnfinished || ((opening.isAbandoned || opening.isUnclaimed) && !isChanging),
    );
    if (urgent.some(({ opening }) => opening.isUnclaimed)) this.#keepSurplus();
    const results = [this.#tryAll([leader, ...urgent])];
    const open = others.filter((scope) => scope.opening.isNow && !urgent.includes(scope));
    while (open.length > 0 && this.#places > 0) {
      const attempt = this.#tryAll(open.splice(0, this.#places));
      results.push(attempt);
      await attempt;
    }
    return (await Promise.all(results)).includes(true);
  }

  /** What those that it is left to do not take. @returns whether an attempt failed */
  #takeNeglected(): Promise<boolean> {
    const { leader, shards } = this.#options;
    const mayTake = shards.isChanging ? [leader] : [leader, ...shards.all];
    const neglected = mayTake.filter(({ opening }) => opening.isNeglected);
    if (neglected.length > 0) this.#keepSurplus();
    const unfinished = [leader, ...shards.all].filter(({ isUnfinished }) => isUnfinished);
    return this.#tryAll([...neglected, ...unfinished]);
  }

  async #tryAll(scopes: readonly ElectedScope[]): Promise<boolean> {
    const failures = await Promise.all(scopes.map((scope) => this.#try(scope)));
    return failures.includes(true);
  }

  async #try(scope: ElectedScope): Promise<boolean> {
    if (this.#options.isOver()) return false;
    const isBegun = scope.fences.length > 0;
    try {
      await scope.compete();
      if (!isBegun && scope.fences.length > 0) this.#inability.noteSuccess();
      return false;
    } catch (error) {
      this.#failures.noteFailure(error, { lease: scope.name });
      return true;
    }
  }

  /** In the order in which they were taken; those that are on their way out count until they are given up. */
  get #held(): readonly number[] {
    const held = this.#options.shards.all.flatMap(({ phase }, shard) => (phase === 'Waiting' ? [] : [shard]));
    const known = this.#order.filter((shard) => held.includes(shard));
    this.#order = [...known, ...held.filter((shard) => !known.includes(shard))];
    return this.#order;
  }

  /** Among the replicas that take shards, or all where none does; the others keep what they hold. */
  get #distribution(): Distribution {
    const live = this.#options.replicas();
    const takers = live.filter(({ takesShards }) => takesShards);
    const sharing = takers.length > 0 ? takers : live;
    const others = live.filter((replica) => !sharing.includes(replica));
    const isShared = ({ lease }: Pick<ElectedScope, 'lease'>): boolean =>
      others.every(({ identity }) => identity !== lease?.record.holder);
    const shardCount = this.#options.shards.all.filter(isShared).length;
    const rank = sharing.findIndex(({ identity }) => identity === this.#options.identity);
    return { shardCount, replicas: sharing.length, rank: Math.max(0, rank), held: this.#held };
  }

  get #places(): number {
    return this.#options.shards.isChanging ? 0 : openPlaces(this.#distribution);
  }

  /** These have not taken what was free: what is handed over would be free again. */
  #keepSurplus(): void {
    const { clock, terms, replicas } = this.#options;
    const until = clock.elapsed() + leasesUntilNextTrial * terms.leaseDurationMilliseconds;
    this.#kept = { until, from: new Set(replicas().map(({ identity }) => identity)) };
    this.#offered = [];
  }

  /** Whether all that a surplus could be handed to have left lately what was free. */
  get #isKept(): boolean {
    const { clock, replicas } = this.#options;
    const { until, from } = this.#kept ?? { until: Number.NEGATIVE_INFINITY, from: new Set() };
    return clock.elapsed() < until && replicas().every(({ identity }) => from.has(identity));
  }

  /** Hands one shard of the surplus over, and the others once that one is taken: whoever comes may not be able to. */
  #handOver(): void {
    const { isReached, shards } = this.#options;
    if (this.#handingOver !== null || !isReached() || this.#isKept) return;
    // There may be another number of them by now.
    this.#offered = this.#offered.filter((scope) => shards.all.includes(scope));
    if (this.#offered.some(isOnItsWay)) return;
    const surplus = surplusShards(this.#distribution).flatMap((shard) => shards.all[shard] ?? []);
    this.#offered = this.#offered.length === 0 ? surplus.slice(0, 1) : surplus;
    if (surplus.length === 0) return;
    const left = this.#offered.map((scope) => scope.leave());
    this.#handingOver = Promise.all(left).finally(() => (this.#handingOver = null));
  }
}

/** Whether nobody has it yet after it was handed over. */
function isOnItsWay({ phase, isUnfinished, lease }: ElectedScope): boolean {
  return isUnfinished || (phase === 'Waiting' && (lease?.record.holder ?? null) === null);
}
