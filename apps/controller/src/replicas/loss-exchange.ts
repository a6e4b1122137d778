import { AdapterError } from '#kernel';
import { administrationScope, type FenceLookup, shardOfScope, shardScope } from '#ledger';
import type { ClockPort, CountedLosses, FleetBrake, LossStorePort, StoredLosses } from '#reconciliation';
import type { Leadership } from '../coordination/leadership.ts';
import type { FieldLogger } from '../logging/field-logger.ts';
import { OutageLog } from '../logging/outage-log.ts';
import { CoalescedWork } from './coalesced-work.ts';

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

/**
 * Tells the other replicas what this one counts for the fleet brake, and the brake what the others count. Where nothing
 * would be lost, nothing is stored. While the database is away the brake goes on with what it knew last.
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
    const { brake, store } = this.#options;
    const stored = await store.read(this.#keptMilliseconds);
    const others = stored.filter((each) => !this.#isOwn(each));
    this.#others = new Map(others.map((each) => [keyOf(each), each]));
    const losses = others.flatMap(({ scope, metricSource, losing }) => {
      const shard = shardOfScope(scope);
      return shard === undefined ? [] : [{ shard, metricSource, losing }];
    });
    const released = others.filter(({ scope }) => scope === administrationScope);
    await brake.follow(
      losses,
      released.map(({ metricSource }) => metricSource),
    );
  }

  #mayStore(): boolean {
    return this.#options.clock.monotonicMilliseconds() - this.#storedAt >= storeMilliseconds;
  }

  async #storeChanges(): Promise<void> {
    const now = this.#options.clock.monotonicMilliseconds();
    const counts = this.#counts();
    const changed = [...counts].flatMap(([key, count]) => (this.#isDue(key, count, now) ? [count] : []));
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
    for (const { fence, metricSource, losing } of changed) {
      const { scope, epoch } = fence;
      this.#own.set(keyOf({ scope, metricSource }), { scope, epoch, metricSource, losing, at: now });
    }
    for (const [key, { losing }] of this.#own) if (losing === 0) this.#own.delete(key);
  }

  /** What this process counts under the scopes that it holds, by scope and source; 0 where it counts nothing any more. */
  #counts(): ReadonlyMap<string, CountedLosses> {
    const { brake, holdings, leadership } = this.#options;
    for (const [key, own] of this.#own) if (!this.#isOwn(own)) this.#own.delete(key);
    const ofShards = brake
      .listLosses()
      .map(({ shard, metricSource, losing }) => ({ scope: shardScope(shard), metricSource, losing }));
    const released = leadership.isLeader() ? brake.listReleased() : [];
    const ofLeader = released.map((metricSource) => ({
      scope: administrationScope,
      metricSource,
      losing: 1,
    }));
    const ended = [...this.#own.values()].map((own) => ({ ...own, losing: 0 }));
    const counts = new Map<string, CountedLosses>();
    for (const { scope, metricSource, losing } of [...ended, ...ofShards, ...ofLeader]) {
      if (holdings.holds(scope))
        counts.set(keyOf({ scope, metricSource }), { fence: holdings.of(scope), metricSource, losing });
    }
    return counts;
  }

  #isDue(key: string, { losing }: CountedLosses, now: number): boolean {
    const own = this.#own.get(key);
    // Of a shard that was just taken most targets are not looked at yet.
    if (own === undefined) return losing > (this.#others.get(key)?.losing ?? 0);
    return own.losing !== losing || now - own.at >= this.#keptMilliseconds / renewals;
  }

  #isOwn({ scope, epoch }: Pick<StoredLosses, 'scope' | 'epoch'>): boolean {
    const { holdings } = this.#options;
    return holdings.holds(scope) && holdings.of(scope).epoch === epoch;
  }
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
