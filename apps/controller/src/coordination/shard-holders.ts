import type { SeenHolder } from '#reconciliation';
import type { ElectedScope } from './elected-scope.ts';
import type { ElectionTools } from './election-tools.ts';
import type { ReplicaLeases } from './replica-leases.ts';

/** Another replica reads what the last holder left before it looks at the policies of a shard. */
const restoringMilliseconds = 5_000;

export type ShardHoldersOptions = Pick<ElectionTools, 'identity' | 'clock'> & {
  readonly replicas: Pick<ReplicaLeases, 'lastSeen'>;
};

/** A shard as the looks at the Leases found it. */
interface SeenShard {
  /** Of a replica; null: none carries its policies out. */
  readonly holder: string | null;
  /** When that was first seen, by the clock of elections. */
  readonly since: number;
}

/** Which replica carries out the policies of each shard, and when it was last seen to live, as far as this one knows. */
export class ShardHolders {
  readonly #options: ShardHoldersOptions;
  #seen: readonly SeenShard[] = [];

  constructor(options: ShardHoldersOptions) {
    this.#options = options;
  }

  /** Takes in a look at the Leases of all shards, by their numbers. */
  observe(shards: readonly Pick<ElectedScope, 'lease' | 'phase'>[], readAt: number): void {
    this.#seen = shards.map((scope, shard) => {
      const holder = this.#holderOf(scope);
      const before = this.#seen[shard];
      return before?.holder === holder ? before : { holder, since: readAt };
    });
  }

  /** Null: no replica that lives is known to carry the shard's policies out. */
  of(shard: number): SeenHolder | null {
    const { identity, clock, replicas } = this.#options;
    const { holder = null, since = 0 } = this.#seen[shard] ?? {};
    if (holder === null) return null;
    const now = clock.elapsed();
    if (holder === identity) return { heldMilliseconds: now - since, silentMilliseconds: 0 };
    const seenAt = replicas.lastSeen(holder);
    if (seenAt === null) return null;
    const heldMilliseconds = Math.max(0, now - since - restoringMilliseconds);
    return { heldMilliseconds, silentMilliseconds: now - seenAt };
  }

  /** What this replica is still taking, or gives up, it does not carry out. */
  #holderOf({ lease, phase }: Pick<ElectedScope, 'lease' | 'phase'>): string | null {
    const holder = lease?.record.holder ?? null;
    return holder === this.#options.identity && phase !== 'Held' ? null : holder;
  }
}
