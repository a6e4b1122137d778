import { openPlaces, retryMilliseconds, surplusShard } from '#coordination';
import { messageOf } from '#kernel';
import type { ElectedScope } from './elected-scope.ts';
import type { ElectedShards } from './elected-shards.ts';
import type { ElectionTools } from './election-tools.ts';

export type CompetitionOptions = Pick<ElectionTools, 'clock' | 'terms' | 'logger'> & {
  readonly leader: ElectedScope;
  readonly shards: Pick<ElectedShards, 'all' | 'isChanging'>;
  /** How many replicas live, this one included. */
  readonly countReplicas: () => number;
  /** Whether nothing is to be taken any more. */
  readonly isOver: () => boolean;
};

/** One replica's part in who holds what: it competes for the leader's scopes and its even share of the shards. */
export class Competition {
  readonly #options: CompetitionOptions;
  /** Shards in the order in which they were taken. */
  #order: readonly number[] = [];
  #nextAttemptAt = Number.NEGATIVE_INFINITY;
  #competing: Promise<void> | null = null;
  #handingOver: Promise<void> | null = null;

  constructor(options: CompetitionOptions) {
    this.#options = options;
  }

  /** Takes what is open, and hands a surplus over: in the background, so that nothing is in the way of a renewal. */
  go(): void {
    const { clock } = this.#options;
    if (this.#competing === null && clock.elapsed() >= this.#nextAttemptAt)
      this.#competing = this.#compete().finally(() => (this.#competing = null));
    this.#handOver();
  }

  /** Resolves when nothing is under way. */
  async ended(): Promise<void> {
    await this.#competing;
    await this.#handingOver;
  }

  /** After a failure as seldom as client-go. */
  async #compete(): Promise<void> {
    const { clock, terms } = this.#options;
    const isFailing = await this.#takeOpen();
    if (isFailing) this.#nextAttemptAt = clock.elapsed() + retryMilliseconds(terms, clock.random());
  }

  /**
   * Of the shards that are free no more are tried at once than may be held. Those that were abandoned are tried whatever
   * the share is, and handed over later: a replica that has just come cannot know yet that their holder is gone.
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
      ({ isUnfinished, isAbandoned }) => isUnfinished || (isAbandoned && !isChanging),
    );
    const results = [this.#tryAll([leader, ...urgent])];
    const open = others.filter(({ isOpen, isAbandoned }) => isOpen && !isAbandoned);
    while (open.length > 0 && this.#places > 0) {
      const attempt = this.#tryAll(open.splice(0, this.#places));
      results.push(attempt);
      await attempt;
    }
    return (await Promise.all(results)).includes(true);
  }

  async #tryAll(scopes: readonly ElectedScope[]): Promise<boolean> {
    const failures = await Promise.all(scopes.map((scope) => this.#try(scope)));
    return failures.includes(true);
  }

  async #try(scope: ElectedScope): Promise<boolean> {
    if (this.#options.isOver()) return false;
    try {
      await scope.compete();
      return false;
    } catch (error) {
      const fields = { lease: scope.name, reason: messageOf(error) };
      this.#options.logger.warn(fields, 'a scope could not be taken');
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

  get #distribution() {
    const { shards, countReplicas } = this.#options;
    return { shardCount: shards.all.length, replicas: countReplicas(), held: this.#held };
  }

  get #places(): number {
    return this.#options.shards.isChanging ? 0 : openPlaces(this.#distribution);
  }

  /** The surplus, one shard at a time. */
  #handOver(): void {
    const surplus = this.#handingOver === null ? surplusShard(this.#distribution) : null;
    const shard = surplus === null ? undefined : this.#options.shards.all[surplus];
    if (shard === undefined) return;
    this.#handingOver = shard.leave().finally(() => (this.#handingOver = null));
  }
}
