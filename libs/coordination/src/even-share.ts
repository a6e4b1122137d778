/** The most shards that one of so many replicas holds. */
export function evenShare(shardCount: number, replicas: number): number {
  return Math.ceil(shardCount / Math.max(1, replicas));
}

/** What a replica holds and what others do, when it looks at its share. */
export interface Distribution {
  readonly shardCount: number;
  /** Live ones, itself included. */
  readonly replicas: number;
  /** In the order in which they were taken. */
  readonly held: readonly number[];
}

/** The shard that a replica with more than its share hands over next, the newest one; null: it has no more than that. */
export function surplusShard({ shardCount, replicas, held }: Distribution): number | null {
  return held.length > evenShare(shardCount, replicas) ? (held.at(-1) ?? null) : null;
}

/** How many shards a replica may still take. */
export function openPlaces({ shardCount, replicas, held }: Distribution): number {
  return Math.max(0, evenShare(shardCount, replicas) - held.length);
}
