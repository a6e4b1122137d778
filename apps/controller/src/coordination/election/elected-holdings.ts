import type { LossStreak } from '#coordination';
import { AdapterError } from '#kernel';
import { administrationScope, type Fence, HeldFences } from '#ledger';
import { OutageLog } from '../../logging/outage-log.ts';
import { type Candidacy, type ControllerRole, Holdings, type ReplicaWork } from '../holdings/holdings.ts';
import { fenceTerms } from '../holdings/process-holdings.ts';
import { lossMessage, type ScopeLoss } from '../holdings/scope-loss.ts';
import { type ElectionTools, withEnding } from '../leases/election-tools.ts';
import { LeaseOutages } from '../leases/lease-outages.ts';
import { RepeatedWork } from '../leases/repeated-work.ts';
import { type Replica, ReplicaLeases } from '../leases/replica-leases.ts';
import { UnusedLeases } from '../leases/unused-leases.ts';
import { Competition } from './competition.ts';
import { DatabaseAnswers } from './database-answers.ts';
import { ElectedScope, type ElectedScopeOptions } from './elected-scope.ts';
import { ElectedShards } from './elected-shards.ts';
import { giveEverythingUp } from './giving-up.ts';
import { type LeaseHolders, leaseHoldersOf } from './lease-holders.ts';

export interface ElectedHoldingsOptions extends Omit<ElectionTools, 'ending'> {
  /** What the names of the Leases begin with. */
  readonly prefix: string;
  readonly wasFenced?: boolean;
  /** What this process has lost lately; null: nothing. */
  readonly losses: LossStreak | null;
}

/**
 * A Lease lasts from when its last renewal was seen: its policies wait for a quarter of the time between two renewals at
 * most, and half of that on average, since that came after it was made.
 */
const looksPerRenewal = 4;

/**
 * What one of several replicas holds: the leader's scopes, and its even share of the shards. Leases elect; a scope is held
 * once its fence is taken, and lost as a whole when any of them is another's.
 */
export class ElectedHoldings extends Holdings implements Candidacy {
  readonly #options: ElectedHoldingsOptions & ElectionTools;
  readonly #replicas: ReplicaLeases;
  readonly #ending = new AbortController();
  #role: ControllerRole;
  #leader: ElectedScope | null = null;
  #shards: ElectedShards | null = null;
  readonly #renewals: OutageLog;
  readonly #leaseOutages: LeaseOutages;
  readonly #unusedLeases: UnusedLeases;
  #onLost: (loss: ScopeLoss) => void = () => undefined;
  #isLost = false;
  readonly #database: DatabaseAnswers;
  /** When the Leases were last read, by the clock of elections; null: they were not. */
  #lookedAt: number | null = null;
  #competition: Competition | null = null;
  #loops: Promise<unknown> = Promise.resolve();

  constructor(given: ElectedHoldingsOptions) {
    super();
    const options = withEnding(given, this.#ending.signal);
    this.#options = options;
    this.#replicas = new ReplicaLeases({
      ...options,
      takesShards: () => this.takesShards,
      reachesDatabase: () => this.#database.isReached,
    });
    this.#database = new DatabaseAnswers({ ...options, replicas: this.#replicas });
    this.#renewals = new OutageLog(options.logger, {
      fails: 'the number of shards could not be read, or the scopes renewed',
      works: 'the number of shards is read, and the scopes are renewed again',
    });
    this.#leaseOutages = new LeaseOutages(options);
    this.#unusedLeases = new UnusedLeases(options);
    this.#role = given.wasFenced === true ? 'fenced' : 'standby';
  }

  /** Of this replica, new per process: the holder of its Leases and of its fences. */
  get identity(): string {
    return this.#options.identity;
  }

  get failingSince(): string | null {
    return this.#renewals.failingSince;
  }

  get failure(): string | null {
    return this.#renewals.failure;
  }

  get leasesFailingSince(): string | null {
    return this.#leaseOutages.failingSince;
  }

  get leasesFailure(): string | null {
    return this.#leaseOutages.failure;
  }

  get role(): ControllerRole {
    if (this.#isLost) return 'fenced';
    return this.#all.some(({ fences }) => fences.length > 0) ? 'active' : this.#role;
  }

  get isLeader(): boolean {
    return this.holds(administrationScope) && this.#leader?.phase !== 'Fenced';
  }

  /** The live replicas, this one included. */
  get replicas(): readonly Replica[] {
    return this.#replicas.live;
  }

  /** What the Leases say of who holds what, and when they were looked at last. */
  get leaseHolders(): LeaseHolders {
    const holders = leaseHoldersOf(this.#leader, this.#shards?.all ?? []);
    return { holders, lookedAt: this.#lookedAt };
  }

  /**
   * How the leader's admin API is reached, as the database has it: whoever may edit Leases would be sent the credentials of
   * all callers.
   *
   * @returns null where none leads, or this replica does
   * @throws AdapterError where the database does not answer
   */
  async leaderUrl(): Promise<string | null> {
    const [seen] = await this.#options.fences.look([administrationScope]);
    return seen === undefined || seen.holder === this.identity ? null : seen.url;
  }

  /** Whether this replica takes its share of the shards: not where it could not begin, or keep, what it took lately. */
  get takesShards(): boolean {
    return this.#competition?.takesShards ?? true;
  }

  /** For how long this replica has carried out a shard's policies; null: it does not. */
  carriedOutMilliseconds(shard: number): number | null {
    const beganAt = this.#shards?.all[shard]?.beganAt ?? null;
    return beganAt === null ? null : this.#options.clock.elapsed() - beganAt;
  }

  of(scope: string): Fence {
    return new HeldFences(this.#scopeOf(scope)?.fences ?? []).of(scope);
  }

  holds(scope: string): boolean {
    return this.#scopeOf(scope) !== undefined;
  }

  heldSince(scope: string): string | null {
    return this.#scopeOf(scope)?.heldSince ?? null;
  }

  mayWrite(scope: string): boolean {
    return this.#scopeOf(scope)?.mayWrite() === true;
  }

  async extend(scopes: readonly string[]): Promise<void> {
    const wanted = scopes.filter((scope) => !this.holds(scope));
    if (wanted.length === 0) return;
    const { fences, identity } = this.#options;
    const leader = this.holds(administrationScope) ? this.#leader : null;
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
  async start(work: ReplicaWork, onLost: (loss: ScopeLoss) => void, signal: AbortSignal): Promise<void> {
    const { prefix } = this.#options;
    this.#onLost = onLost;
    const announced = (holder: string): number | null => this.#replicas.announcedMilliseconds(holder);
    const open = (scope: ElectedScopeOptions): ElectedScope =>
      new ElectedScope(scope, this.#options, announced);
    this.#leader = open({ name: `${prefix}-leader`, scopes: work.leaderScopes, work: work.leader });
    this.#shards = new ElectedShards({ prefix, work, open, logger: this.#options.logger });
    this.#competition = new Competition({
      ...this.#options,
      leader: this.#leader,
      shards: this.#shards,
      replicas: () => this.#replicas.live,
      isReached: () => this.#database.isReached,
      isOver: () => this.#ending.signal.aborted || this.#isLost,
    });
    this.#database.note(this.#options.clock.elapsed());
    await this.#shards.follow();
    await this.#look();
    signal.throwIfAborted();
    await this.#replicas.announce();
    this.#competition.sayHeldBack();
    const { retryPeriodMilliseconds } = this.#options.terms;
    // However seldom Leases are renewed, the fences last as long as they do.
    const renewalMilliseconds = Math.min(retryPeriodMilliseconds, fenceTerms.retryPeriodMilliseconds);
    const outages = this.#leaseOutages;
    const isOver = (): boolean => this.#isLost;
    const loops = new RepeatedWork({ ...this.#options, isOver, afterEach: () => this.#loseWhatCannotGoOn() });
    // Each by itself: a question that takes long delays no renewal.
    this.#loops = Promise.all([
      loops.every(retryPeriodMilliseconds, () => outages.during('renew', () => this.#renewLeases())),
      loops.every(retryPeriodMilliseconds, () => outages.during('announce', () => this.#replicas.announce())),
      loops.repeat(
        () => outages.during('look', () => this.#lookAndCompete()),
        () => this.#pause,
      ),
      loops.every(renewalMilliseconds, () => this.#renewFences()),
    ]);
  }

  async stop(): Promise<void> {
    this.#ending.abort(new Error('the controller is ending'));
    const parts = {
      leader: this.#leader,
      shards: this.#shards?.all ?? [],
      withdraw: () => this.#replicas.withdraw(),
      ended: () => Promise.all([this.#loops, this.#competition?.ended()]),
    };
    await giveEverythingUp(parts, this.#options);
  }

  get #all(): readonly ElectedScope[] {
    return this.#leader === null ? [] : [this.#leader, ...(this.#shards?.all ?? [])];
  }

  #scopeOf(scope: string): ElectedScope | undefined {
    return this.#all.find(({ fences }) => fences.some((fence) => fence.scope === scope));
  }

  #loseWhatCannotGoOn(): void {
    const loss = this.#all.map((scope) => scope.loss).find((each) => each !== null);
    if (loss !== undefined) this.#lose(loss);
  }

  /** Looks often for renewals, and when a Lease expires: the policies of its shard wait from then on. */
  get #pause(): number {
    const { clock, terms } = this.#options;
    const now = clock.elapsed();
    const pauses = this.#all.flatMap(({ opening: { at } }) => (at !== null && at > now ? [at - now] : []));
    return Math.min(terms.retryPeriodMilliseconds / looksPerRenewal, ...pauses);
  }

  async #lookAndCompete(): Promise<void> {
    if (this.#database.isElsewhereAlone() && this.#all.some(({ phase }) => phase !== 'Waiting')) {
      await this.#resign();
      return;
    }
    await this.#look();
    this.#competition?.go();
  }

  async #renewLeases(): Promise<void> {
    const renewed = await Promise.allSettled(this.#all.map((scope) => scope.renewLease()));
    const failed = renewed.find(({ status }) => status === 'rejected');
    if (failed?.status === 'rejected') throw failed.reason as Error;
  }

  /** Others take the scopes once the fences have expired. */
  async #resign(): Promise<void> {
    const released: Promise<void>[] = [];
    this.#lose('Elsewhere', (scope) => released.push(scope.resign()));
    await Promise.allSettled([...released, this.#replicas.withdraw()]);
  }

  async #look(): Promise<void> {
    const { leases, clock } = this.#options;
    const sentAt = clock.elapsed();
    const listed = await leases.list(this.#ending.signal);
    const look = { sentAt, readAt: clock.elapsed() };
    this.#lookedAt = look.readAt;
    const byName = new Map(listed.map((lease) => [lease.name, lease]));
    for (const scope of this.#all) scope.observe(byName.get(scope.name) ?? null, look);
    this.#replicas.observe(listed, look);
    if (!this.isLeader) return;
    const ofShards = listed.filter(({ name }) => this.#shards?.isUnknown(name) === true);
    const unheld = this.#unusedLeases.unheld(ofShards, look.readAt);
    this.#unusedLeases.delete([...unheld, ...this.#replicas.gone]);
  }

  async #renewFences(): Promise<void> {
    const { fences, clock } = this.#options;
    let asked: readonly { readonly scope: ElectedScope; readonly held: readonly Fence[] }[] = [];
    let sentAt = 0;
    const renewed = await this.#renewals.during(async () => {
      await this.#shards?.follow();
      asked = this.#all
        .filter(({ fences: held, phase }) => held.length > 0 && phase !== 'Leaving')
        .map((scope) => ({ scope, held: scope.fences }));
      sentAt = clock.elapsed();
      return fences.renew(asked.flatMap(({ held }) => held));
    });
    if (renewed === null) return;
    this.#database.note(sentAt);
    // One that was given up meanwhile is not lost, nor renewed where it was taken anew.
    const same = asked.filter(({ scope, held }) => scope.fences === held && scope.phase !== 'Leaving');
    if (renewed.ok) for (const { scope } of same) scope.noteRenewedFences(sentAt);
    else if (same.length === asked.length) this.#lose('TakenOver');
  }

  #lose(loss: ScopeLoss, leave = (scope: ElectedScope): unknown => scope.lose()): void {
    if (this.#isLost || this.#ending.signal.aborted) return;
    this.#isLost = true;
    const shards = this.#shards?.all.filter(({ fences }) => fences.length > 0).length ?? 0;
    const fields = { shards, isLeader: this.isLeader, leasesFailingSince: this.leasesFailingSince };
    for (const scope of this.#all) leave(scope);
    this.#options.logger.warn(fields, lossMessage(loss, fields));
    this.#onLost(loss);
  }
}
