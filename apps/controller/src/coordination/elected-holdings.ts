import { setTimeout as delay } from 'node:timers/promises';
import { openPlaces, retryMilliseconds, surplusShard } from '#coordination';
import { AdapterError, messageOf } from '#kernel';
import { type Fence, HeldFences, shardScope } from '#ledger';
import { OutageLog } from '../logging/outage-log.ts';
import { ElectedScope, type ElectionClock, type ElectionTools } from './elected-scope.ts';
import { type Candidacy, type ControllerRole, Holdings, type ScopeTenant, type Tenants } from './holdings.ts';
import { fenceTerms, renewalLog } from './process-holdings.ts';
import { type Replica, ReplicaLeases } from './replica-leases.ts';

export interface ElectedHoldingsOptions extends ElectionTools {
  /** What the names of the Leases begin with. */
  readonly prefix: string;
  readonly wasFenced?: boolean;
}

/**
 * What one of several replicas holds: the leader's scopes, and its even share of the shards. Leases elect; a scope is held
 * once its fence is taken, and lost as a whole when any of them is another's.
 */
export class ElectedHoldings extends Holdings implements Candidacy {
  readonly #options: ElectedHoldingsOptions;
  readonly #replicas: ReplicaLeases;
  readonly #ending = new AbortController();
  #role: ControllerRole;
  #leader: ElectedScope | null = null;
  /** By their numbers. */
  #shards: readonly ElectedScope[] = [];
  /** Shards in the order in which they were taken. */
  #order: readonly number[] = [];
  readonly #renewals: OutageLog;
  readonly #leaseOutages: OutageLog;
  #onLost: () => void = () => undefined;
  #isLost = false;
  #nextAttemptAt = 0;
  #competing: Promise<void> | null = null;
  #handingOver: Promise<void> | null = null;
  #loops: Promise<unknown> = Promise.resolve();

  constructor(options: ElectedHoldingsOptions) {
    super();
    this.#options = options;
    this.#replicas = new ReplicaLeases(options);
    this.#renewals = renewalLog(options.logger);
    this.#leaseOutages = new OutageLog(options.logger, {
      fails: 'the Leases could not be looked at or renewed',
      works: 'the Leases are looked at and renewed again',
    });
    this.#role = options.wasFenced === true ? 'fenced' : 'standby';
  }

  /** Of this replica, new per process: the holder of its Leases and of its fences. */
  get identity(): string {
    return this.#options.identity;
  }

  get failingSince(): string | null {
    return this.#renewals.failingSince;
  }

  get leasesFailingSince(): string | null {
    return this.#leaseOutages.failingSince;
  }

  get role(): ControllerRole {
    if (this.#isLost) return 'fenced';
    return this.#all.some(({ fences }) => fences.length > 0) ? 'active' : this.#role;
  }

  get isLeader(): boolean {
    return (this.#leader?.fences.length ?? 0) > 0;
  }

  /** How the leader's admin API is reached; null: there is none, or it is not known. */
  get leaderUrl(): string | null {
    const record = this.#leader?.lease?.record;
    return record === undefined || record.holder === null ? null : record.advertisedUrl;
  }

  /** The live replicas, this one included. */
  get replicas(): readonly Replica[] {
    return this.#replicas.live;
  }

  of(scope: string): Fence {
    return new HeldFences(this.#scopeOf(scope)?.fences ?? []).of(scope);
  }

  holds(scope: string): boolean {
    return this.#scopeOf(scope) !== undefined;
  }

  mayWrite(scope: string): boolean {
    return this.#scopeOf(scope)?.mayWrite() === true;
  }

  async extend(scopes: readonly string[]): Promise<void> {
    const wanted = scopes.filter((scope) => !this.holds(scope));
    if (wanted.length === 0) return;
    const { fences, identity } = this.#options;
    const leader = this.isLeader ? this.#leader : null;
    const taken = leader === null ? null : await fences.take(wanted, identity);
    if (leader !== null && taken?.ok === true) {
      leader.addFences(taken.value);
      return;
    }
    const message = `another process holds one of ${wanted.join(', ')}`;
    throw new AdapterError({ code: 'Fenced', message, retryable: true });
  }

  /**
   * Looks at the Leases once, so that a cluster that forbids it fails the start, and competes from then on.
   *
   * @param onLost is called at most once, when a scope was lost that was held.
   * @throws AdapterError where the Leases cannot be read or written
   */
  async start(tenants: Tenants, onLost: () => void, signal: AbortSignal): Promise<void> {
    const { prefix } = this.#options;
    const { shardCount, leaderScopes } = tenants;
    this.#onLost = onLost;
    this.#leader = this.#scope(`${prefix}-leader`, leaderScopes, tenants.leader);
    this.#shards = Array.from({ length: shardCount }, (_, shard) =>
      this.#scope(
        `${prefix}-shard-${shard}`,
        () => Promise.resolve([shardScope(shard)]),
        tenants.shard(shard),
      ),
    );
    await this.#look();
    signal.throwIfAborted();
    await this.#replicas.announce();
    const { retryPeriodMilliseconds } = this.#options.terms;
    // However seldom Leases are renewed, the fences last as long as they do.
    const renewalMilliseconds = Math.min(retryPeriodMilliseconds, fenceTerms.retryPeriodMilliseconds);
    this.#loops = Promise.all([
      this.#repeat(() => this.#leaseOutages.during(() => this.#round()), retryPeriodMilliseconds),
      this.#repeat(() => this.#renewFences(), renewalMilliseconds),
    ]);
  }

  /** Gives everything up, the leader's scopes last, so that others can go on at once. */
  async stop(): Promise<void> {
    this.#ending.abort(new Error('the controller is ending'));
    await this.#loops;
    await this.#competing;
    await this.#handingOver;
    await Promise.all(this.#shards.map((shard) => shard.leave()));
    await this.#leader?.leave();
    await this.#replicas.withdraw();
  }

  get #all(): readonly ElectedScope[] {
    return this.#leader === null ? this.#shards : [this.#leader, ...this.#shards];
  }

  #scopeOf(scope: string): ElectedScope | undefined {
    return this.#all.find(({ fences }) => fences.some((fence) => fence.scope === scope));
  }

  #scope(name: string, scopes: () => Promise<readonly string[]>, tenant: ScopeTenant): ElectedScope {
    return new ElectedScope({ name, scopes, tenant }, this.#options);
  }

  async #repeat(act: () => Promise<unknown>, milliseconds: number): Promise<void> {
    const { signal } = this.#ending;
    while (!signal.aborted && !this.#isLost) {
      await act();
      if (this.#all.some(({ isLost }) => isLost)) this.#lose();
      await this.#options.clock.wait(milliseconds, signal).catch(() => undefined);
    }
  }

  async #round(): Promise<void> {
    const renewals = this.#all.map((scope) => scope.renewLease());
    const renewed = await Promise.allSettled([...renewals, this.#replicas.announce()]);
    await this.#look();
    this.#compete();
    this.#handOver();
    const failed = renewed.find(({ status }) => status === 'rejected');
    if (failed?.status === 'rejected') throw failed.reason;
  }

  async #look(): Promise<void> {
    const { leases, clock } = this.#options;
    const listed = await leases.list();
    const readAt = clock.elapsed();
    const byName = new Map(listed.map((lease) => [lease.name, lease]));
    for (const scope of this.#all) scope.observe(byName.get(scope.name) ?? null, readAt);
    this.#replicas.observe(listed, readAt);
  }

  /** One after another, and never in the way of a renewal. */
  #compete(): void {
    const { clock, terms } = this.#options;
    if (this.#competing !== null || clock.elapsed() < this.#nextAttemptAt) return;
    this.#nextAttemptAt =
      clock.elapsed() + retryMilliseconds(terms, clock.random()) - terms.retryPeriodMilliseconds;
    this.#competing = this.#competeForShare().finally(() => (this.#competing = null));
  }

  async #competeForShare(): Promise<void> {
    const { logger, clock } = this.#options;
    const first = Math.floor(clock.random() * this.#shards.length);
    const others = [...this.#shards.slice(first), ...this.#shards.slice(0, first)];
    const candidates = [...(this.#leader === null ? [] : [this.#leader]), ...others];
    for (const scope of candidates) {
      if (this.#ending.signal.aborted || this.#isLost) return;
      if (scope !== this.#leader && scope.phase === 'Waiting' && this.#places === 0) continue;
      try {
        await scope.compete();
      } catch (error) {
        logger.warn({ lease: scope.name, reason: messageOf(error) }, 'a scope could not be taken');
      }
    }
  }

  /** In the order in which they were taken; those that are on their way out count until they are given up. */
  get #held(): readonly number[] {
    const held = this.#shards.flatMap(({ phase }, shard) => (phase === 'Waiting' ? [] : [shard]));
    const known = this.#order.filter((shard) => held.includes(shard));
    this.#order = [...known, ...held.filter((shard) => !known.includes(shard))];
    return this.#order;
  }

  get #distribution() {
    return { shardCount: this.#shards.length, replicas: this.#replicas.live.length, held: this.#held };
  }

  get #places(): number {
    return openPlaces(this.#distribution);
  }

  /** The surplus, one shard at a time. */
  #handOver(): void {
    const surplus = this.#handingOver === null ? surplusShard(this.#distribution) : null;
    const shard = surplus === null ? undefined : this.#shards[surplus];
    if (shard === undefined) return;
    this.#handingOver = shard.leave().finally(() => (this.#handingOver = null));
  }

  async #renewFences(): Promise<void> {
    const { fences, clock } = this.#options;
    const scopes = this.#all.filter(({ fences: held, phase }) => held.length > 0 && phase !== 'Leaving');
    const held = scopes.flatMap((scope) => scope.fences);
    if (held.length === 0) return;
    const sentAt = clock.elapsed();
    const renewed = await this.#renewals.during(() => fences.renew(held));
    if (renewed === null) return;
    if (renewed.ok) for (const scope of scopes) scope.noteRenewedFences(sentAt);
    // One that was given up meanwhile is not lost.
    else if (scopes.every(({ fences: now, phase }) => now.length > 0 && phase !== 'Leaving')) this.#lose();
  }

  #lose(): void {
    if (this.#isLost || this.#ending.signal.aborted) return;
    this.#isLost = true;
    for (const scope of this.#all) scope.lose();
    this.#options.logger.warn({}, 'another process has taken over; this one stops carrying policies out');
    this.#onLost();
  }
}

/** The machine's own clocks. A wait does not keep the process alive. */
export const systemElectionClock: ElectionClock = {
  elapsed: () => performance.now(),
  now: () => new Date().toISOString(),
  wait: (milliseconds, signal) => delay(milliseconds, undefined, { signal, ref: false }),
  random: () => Math.random(),
};
