import { AdapterError } from '#kernel';
import { administrationScope, type FenceLookup, shardOfScope, shardScope } from '#ledger';
import type { ClockPort, CountedLosses, FleetBrake, LossStorePort, StoredLosses } from '#reconciliation';
import { CoalescedWork } from '../coordination/shards/coalesced-work.ts';
import type { Leadership } from '../coordination/shards/leadership.ts';
import type { FieldLogger } from '../logging/field-logger.ts';
import { OutageLog } from '../logging/outage-log.ts';

export interface LossExchangeOptions {
  readonly store: LossStorePort;
  readonly brake: Pick<FleetBrake, 'follow' | 'listLosses' | 'listReleased' | 'onChanged'>;
  readonly holdings: FenceLookup & { readonly holds: (scope: string) => boolean };
  readonly leadership: Pick<Leadership, 'mode' | 'isLeader'>;
  /** How long a holder may be silent before another takes over from it. */
  readonly leaseMilliseconds: number;
  readonly clock: Pick<ClockPort, 'monotonicMilliseconds' | 'schedule'>;
  readonly logger: FieldLogger;
}

/** Counts that change all the time are stored so often. */
const storeMilliseconds = 500;

/** As long as it takes others to take a shard over, and to look at its policies, what its last holder counted counts. */
const leasesKept = 2;
const shortestKeptMilliseconds = 10_000;

/** Counts that stay as they are are stored again so often while they are kept. */
const renewals = 6;

/** A count that this process has stored. */
interface OwnCount extends StoredLosses {
  readonly at: number;
}

/** A count that this process may store. */
interface DueCount extends CountedLosses {
  /** Whether what the last holder of the shard counted is out of date. */
  readonly hasLookedAtAll: boolean;
}

/** A moment by the clock of the database and by this process's. */
interface SharedMoment {
  readonly database: number;
  /** When the answer had come, so that the database's clock shows as much, or more. */
  readonly own: number;
}

/**
 * Tells the other replicas what this one counts for the fleet brake, and the brake what the others count. Where nothing
 * would be lost, nothing is stored. A count says until when this process had looked at the shard's targets: others wait
 * for what is stored, however long it takes to store it. While the database is away the brake goes on with what it knew
 * last.
 */
export class LossExchange {
  readonly #options: LossExchangeOptions;
  readonly #outages: OutageLog;
  readonly #exchanges = new CoalescedWork(() => this.#outages.during(() => this.#exchange()));
  readonly #keptMilliseconds: number;
  /** By scope and source. */
  readonly #own = new Map<string, OwnCount>();
  /** What other epochs stored, by scope and source. */
  #others: ReadonlyMap<string, StoredLosses> = new Map();
  #storedAt = Number.NEGATIVE_INFINITY;
  /** Null: the database was not read yet. */
  #moment: SharedMoment | null = null;
  #cancel: (() => void) | null = null;

  constructor(options: LossExchangeOptions) {
    this.#options = options;
    this.#keptMilliseconds = Math.max(leasesKept * options.leaseMilliseconds, shortestKeptMilliseconds);
    this.#outages = new OutageLog(options.logger, {
      fails: 'what replicas count for the fleet brake could not be exchanged',
      works: 'what replicas count for the fleet brake is exchanged again',
    });
    options.brake.onChanged(() => this.#lookSoon());
  }

  /** Stores what has changed, and reads what others stored. One process that does everything has no others. */
  async look(): Promise<void> {
    if (this.#options.leadership.mode === 'Replicas') await this.#exchanges.run();
  }

  /** Waits for the look under way. */
  end(): Promise<void> {
    this.#cancel?.();
    return this.#exchanges.end();
  }

  /** As soon as anything may be stored: of a fleet that loses at once, the first count is of its first target alone. */
  #lookSoon(): void {
    const { clock } = this.#options;
    const wait = this.#storedAt + storeMilliseconds - clock.monotonicMilliseconds();
    if (wait <= 0) {
      void this.look();
    } else {
      this.#cancel ??= clock.schedule(wait, () => {
        this.#cancel = null;
        void this.look();
      });
    }
  }

  async #exchange(): Promise<void> {
    // What others count is read, and acted on, also where nothing can be stored, as in a database that is read-only.
    const failure = this.#mayStore() ? await failureOf(this.#storeChanges()) : null;
    await this.#follow();
    if (failure !== null) throw failure.error;
  }

  async #follow(): Promise<void> {
    const { brake, store, clock } = this.#options;
    const readAt = clock.monotonicMilliseconds();
    const { counts, time } = await store.read(this.#keptMilliseconds);
    this.#moment = { database: time, own: clock.monotonicMilliseconds() };
    const others = counts.filter((each) => !this.#isOwn(each));
    this.#others = new Map(others.map((each) => [keyOf(each), each]));
    const losses = others.flatMap(({ scope, metricSource, losing, lookedMilliseconds, lookedUntil }) => {
      const shard = shardOfScope(scope);
      const silentMilliseconds = time - lookedUntil;
      return shard === undefined
        ? []
        : [{ shard, metricSource, losing, lookedMilliseconds, silentMilliseconds }];
    });
    const released = others.filter(({ scope, losing }) => scope === administrationScope && losing > 0);
    await brake.follow(
      losses,
      released.map(({ metricSource }) => metricSource),
      readAt,
    );
  }

  #mayStore(): boolean {
    return this.#options.clock.monotonicMilliseconds() - this.#storedAt >= storeMilliseconds;
  }

  async #storeChanges(): Promise<void> {
    const now = this.#options.clock.monotonicMilliseconds();
    const changed = [...this.#counts(now)].flatMap(([key, count]) =>
      this.#isDue(key, count, now) ? [storedOf(count)] : [],
    );
    if (changed.length > 0) {
      this.#storedAt = now;
      try {
        await this.#options.store.store(changed);
      } catch (error) {
        // A shard is being given up: what is still held is stored with the next look.
        if (error instanceof AdapterError && error.code === 'Fenced') return;
        throw error;
      }
    }
    for (const { fence, ...count } of changed) {
      const { scope, epoch } = fence;
      this.#own.set(keyOf({ scope, ...count }), { scope, epoch, ...count, at: now });
    }
  }

  /** What this process counts under the scopes that it holds, by scope and source; 0 where it counts nothing any more. */
  #counts(now: number): ReadonlyMap<string, DueCount> {
    const { brake, holdings, leadership } = this.#options;
    for (const [key, own] of this.#own) if (!this.#isOwn(own)) this.#own.delete(key);
    const ofShards = brake.listLosses().map(({ shard, silentMilliseconds, ...count }) => ({
      ...count,
      scope: shardScope(shard),
      lookedUntil: this.#databaseTimeOf(now - silentMilliseconds),
    }));
    const released = leadership.isLeader() ? brake.listReleased() : [];
    const ofLeader = released.map((metricSource) => ({
      ...nothing,
      scope: administrationScope,
      metricSource,
      losing: 1,
    }));
    const counts = new Map<string, DueCount>();
    for (const { scope, ...count } of [...this.#ended(), ...ofShards, ...ofLeader]) {
      if (holdings.holds(scope))
        counts.set(keyOf({ scope, ...count }), { ...count, fence: holdings.of(scope) });
    }
    for (const key of this.#own.keys()) if (!counts.has(key)) this.#own.delete(key);
    return counts;
  }

  /** What was stored and may be no more. */
  #ended(): readonly (Omit<DueCount, 'fence'> & Pick<StoredLosses, 'scope'>)[] {
    const own = [...this.#own.values()].filter(({ losing }) => losing > 0);
    return own.map(({ scope, metricSource }) => ({ ...nothing, scope, metricSource }));
  }

  /** A moment by this process's clock, by the database's: not later than that; 0: it is not known. */
  #databaseTimeOf(moment: number): number {
    return this.#moment === null ? 0 : this.#moment.database + moment - this.#moment.own;
  }

  #isDue(key: string, { losing, hasLookedAtAll }: DueCount, now: number): boolean {
    const own = this.#own.get(key);
    if (own !== undefined) return own.losing !== losing || now - own.at >= this.#keptMilliseconds / renewals;
    const former = this.#others.get(key);
    // Of a shard that was just taken most targets are not looked at yet.
    return former === undefined || losing > former.losing || hasLookedAtAll;
  }

  #isOwn({ scope, epoch }: Pick<StoredLosses, 'scope' | 'epoch'>): boolean {
    const { holdings } = this.#options;
    return holdings.holds(scope) && holdings.of(scope).epoch === epoch;
  }
}

/** Of a shard that loses nothing any more, or that is not looked at. */
const nothing = { losing: 0, lookedMilliseconds: 0, lookedUntil: 0, hasLookedAtAll: false };

function storedOf(count: DueCount): CountedLosses {
  const { fence, metricSource, losing, lookedMilliseconds, lookedUntil } = count;
  return { fence, metricSource, losing, lookedMilliseconds, lookedUntil };
}

/** Null: there is none. */
function failureOf(work: Promise<void>): Promise<{ readonly error: unknown } | null> {
  return work.then(
    () => null,
    (error: unknown) => ({ error }),
  );
}

function keyOf({ scope, metricSource }: Pick<StoredLosses, 'scope' | 'metricSource'>): string {
  return `${scope} ${metricSource}`;
}
