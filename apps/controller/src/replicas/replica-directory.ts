import type { ScopeHolder } from '#adapter-sql';
import { administrationScope, shardOfScope } from '#ledger';
import type { Leadership } from '../coordination/leadership.ts';
import type { Shards } from '../coordination/shards.ts';

/** A process that carries policies out. */
export interface ReplicaView {
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
}

/** A shard of the policies, and who holds it. */
export interface ShardView {
  readonly shard: number;
  /** Id of a replica; null: none holds it now. */
  readonly holder: string | null;
  /** Where the others reach it; null: it does not say. */
  readonly url: string | null;
  /** RFC 3339; null: none holds it, or it is not known. */
  readonly since: string | null;
  /** Of the last take-over. */
  readonly epoch: string;
}

export interface ReplicaDirectoryOptions {
  readonly leadership: Pick<Leadership, 'replicas' | 'reason'>;
  readonly holders: { readonly list: () => Promise<readonly ScopeHolder[]> };
  readonly shards: Pick<Shards, 'readLayout'>;
}

/** Who holds what, as the database has it: the same at every replica. */
export class ReplicaDirectory {
  readonly #options: ReplicaDirectoryOptions;

  constructor(options: ReplicaDirectoryOptions) {
    this.#options = options;
  }

  /** By id. @throws AdapterError */
  async listReplicas(): Promise<readonly ReplicaView[]> {
    const { leadership, holders } = this.#options;
    const held = (await holders.list()).flatMap(({ scope, holder }) =>
      holder === null ? [] : [{ scope, holder }],
    );
    const known = new Map(leadership.replicas().map((replica) => [replica.id, replica]));
    const ids = new Set([...known.keys(), ...held.map(({ holder }) => holder)]);
    return [...ids].sort().map((id) => {
      const scopes = held.filter(({ holder }) => holder === id).map(({ scope }) => scope);
      const shards = scopes.flatMap((scope) => shardOfScope(scope) ?? []).sort((one, other) => one - other);
      const { url = null, isThis = false } = known.get(id) ?? {};
      const aloneBecause = isThis ? leadership.reason : null;
      return { id, url, isThis, isLeader: scopes.includes(administrationScope), aloneBecause, shards };
    });
  }

  /** By number. @throws AdapterError */
  async listShards(): Promise<readonly ShardView[]> {
    const urls = new Map(this.#options.leadership.replicas().map(({ id, url }) => [id, url]));
    const { shardCount } = await this.#options.shards.readLayout();
    const shards = (await this.#options.holders.list()).flatMap(({ scope, holder, since, epoch }) => {
      const shard = shardOfScope(scope);
      const url = holder === null ? null : (urls.get(holder) ?? null);
      return shard === undefined || shard >= shardCount
        ? []
        : [{ shard, holder, url, since, epoch: String(epoch) }];
    });
    return shards.sort((one, other) => one.shard - other.shard);
  }
}
