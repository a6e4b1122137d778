import type { ScopeHolder } from '#adapter-sql';
import { AdapterError, late, withinTime } from '#kernel';
import { administrationScope, shardOfScope } from '#ledger';
import type { ClockPort } from '#reconciliation';
import type { KnownHolders, Leadership } from './leadership.ts';
import type { Shards } from './shards.ts';

/** Whose word it is: the database's, and while that does not answer the Leases' or, without them, this process's own. */
export type KnownFrom = 'Database' | 'Leases' | 'Process';

/** How far what is said of holders goes. */
interface Known {
  readonly knownFrom: KnownFrom;
  /** When it was so, RFC 3339. */
  readonly asOf: string;
}

/** A process that carries policies out. */
export interface ReplicaView extends Known {
  /** New per process. */
  readonly id: string;
  /** Where the others reach it; null: it does not say. */
  readonly url: string | null;
  /** Whether it syncs the sources and takes what people ask for. */
  readonly isLeader: boolean;
  /** Whether it is the one that answers. */
  readonly isThis: boolean;
  /** Why it carries out all policies by itself; null: it shares them, or it is not the one that answers. */
  readonly aloneBecause: string | null;
  /** The shards that it holds, in order. */
  readonly shards: readonly number[];
  /** Whether it takes its share of the shards: not where it could not begin, or keep, its own; null: it is not known to live. */
  readonly takesShards: boolean | null;
  /** Its release; null: it does not say. */
  readonly version: string | null;
  /** Since when it takes part, RFC 3339, by its own clock; null: it does not say. */
  readonly since: string | null;
  /** When it said last that it lives, RFC 3339, as the one that answers saw it; null: it does not say. */
  readonly seenAt: string | null;
}

/** A shard of the policies, and who holds it. */
export interface ShardView extends Known {
  readonly shard: number;
  /** Id of a replica; null: none holds it now. */
  readonly holder: string | null;
  /** Where the others reach it; null: it does not say. */
  readonly url: string | null;
  /** RFC 3339; null: none holds it, or it is not known. */
  readonly since: string | null;
  /** Of the last take-over; null: only the database knows it. */
  readonly epoch: string | null;
}

export interface ReplicaDirectoryOptions {
  readonly leadership: Pick<Leadership, 'replicas' | 'reason' | 'leaseHolders' | 'isLeader'>;
  readonly holders: { readonly list: () => Promise<readonly ScopeHolder[]> };
  readonly shards: Pick<Shards, 'readLayout' | 'held' | 'all'>;
  readonly clock: Pick<ClockPort, 'now' | 'schedule'>;
}

interface Holder extends Pick<ScopeHolder, 'scope' | 'holder' | 'since'> {
  readonly epoch: bigint | null;
}

interface Holders extends Known {
  readonly holders: readonly Holder[];
  readonly shardCount: number;
}

/** A person who looks in an outage waits no longer for a database that hangs. */
const databaseMilliseconds = 2_000;

/** Who holds what, as the database has it: the same at every replica. While it does not answer, what is known without it. */
export class ReplicaDirectory {
  readonly #options: ReplicaDirectoryOptions;

  constructor(options: ReplicaDirectoryOptions) {
    this.#options = options;
  }

  /** By id. */
  async listReplicas(): Promise<readonly ReplicaView[]> {
    const { leadership } = this.#options;
    const { holders, knownFrom, asOf } = await this.#holders();
    const held = holders.flatMap(({ scope, holder }) => (holder === null ? [] : [{ scope, holder }]));
    const known = new Map(leadership.replicas().map((replica) => [replica.id, replica]));
    const ids = new Set([...known.keys(), ...held.map(({ holder }) => holder)]);
    return [...ids].sort().map((id) => {
      const scopes = held.filter(({ holder }) => holder === id).map(({ scope }) => scope);
      const shards = scopes.flatMap((scope) => shardOfScope(scope) ?? []).sort((one, other) => one - other);
      const said = known.get(id) ?? nothingSaid;
      const aloneBecause = said.isThis ? leadership.reason : null;
      const isLeader = scopes.includes(administrationScope);
      return { ...said, id, isLeader, aloneBecause, shards, knownFrom, asOf };
    });
  }

  /** By number. */
  async listShards(): Promise<readonly ShardView[]> {
    const urls = new Map(this.#options.leadership.replicas().map(({ id, url }) => [id, url]));
    const { holders, shardCount, knownFrom, asOf } = await this.#holders();
    const shards = holders.flatMap(({ scope, holder, since, epoch }) => {
      const shard = shardOfScope(scope);
      const url = holder === null ? null : (urls.get(holder) ?? null);
      return shard === undefined || shard >= shardCount
        ? []
        : [{ shard, holder, url, since, epoch: epoch === null ? null : String(epoch), knownFrom, asOf }];
    });
    return shards.sort((one, other) => one.shard - other.shard);
  }

  async #holders(): Promise<Holders> {
    try {
      return await this.#inTime(this.#storedHolders());
    } catch (error) {
      if (!(error instanceof AdapterError)) throw error;
      return this.#otherwiseKnown();
    }
  }

  async #storedHolders(): Promise<Holders> {
    const { holders, shards, clock } = this.#options;
    const { shardCount } = await shards.readLayout();
    return { holders: await holders.list(), shardCount, knownFrom: 'Database', asOf: clock.now() };
  }

  /** @throws AdapterError `Timeout` */
  async #inTime(asked: Promise<Holders>): Promise<Holders> {
    const holders = await withinTime(this.#options.clock, databaseMilliseconds, asked);
    if (holders !== late) return holders;
    throw new AdapterError({ code: 'Timeout', message: 'the database does not answer', retryable: true });
  }

  #otherwiseKnown(): Holders {
    const { leadership, shards, clock } = this.#options;
    const own = new Map(shards.held.map((fence) => [fence.scope, fence]));
    const inLeases = leadership.leaseHolders();
    const { holders, asOf } = inLeases ?? this.#heldAlone(clock.now());
    return {
      holders: holders.map((holder) => ({ ...holder, epoch: own.get(holder.scope)?.epoch ?? null })),
      shardCount: shards.all.length,
      knownFrom: inLeases === null ? 'Process' : 'Leases',
      asOf,
    };
  }

  /** What this process holds without Leases; of others it knows nothing. */
  #heldAlone(asOf: string): KnownHolders {
    const { leadership, shards } = this.#options;
    const since = null;
    const holders = shards.held.map(({ scope, holder }) => ({ scope, holder, since }));
    const [first] = leadership.isLeader() ? holders : [];
    const leader = first === undefined ? [] : [{ ...first, scope: administrationScope }];
    return { holders: [...leader, ...holders], asOf };
  }
}

/** Of one that holds something, and that is not known to live. */
const nothingSaid = {
  url: null,
  isThis: false,
  takesShards: null,
  version: null,
  since: null,
  seenAt: null,
} as const;
