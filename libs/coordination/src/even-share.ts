/**
 * How many shards the replica of a rank holds: as if they were dealt out one by one in the order of the ranks, so that no
 * replica holds two more than another. 16 shards of three replicas are 6, 5 and 5.
 *
 * A replica that comes makes nobody's share larger, and one that goes nobody's smaller: wherever they stand among the
 * others, only the shards of the one that comes or goes change hands.
 *
 * @returns the shards over the replicas, rounded up for the first ranks and down for the others
 */
export function evenShare({ shardCount, replicas, rank }: Omit<Distribution, 'held'>): number {
  return Math.max(0, Math.ceil((shardCount - rank) / Math.max(1, replicas)));
}

/** What a replica holds and what others do, when it looks at its share. */
export interface Distribution {
  readonly shardCount: number;
  /** Live ones, itself included. */
  readonly replicas: number;
  /** Its place among them, from 0, in an order that all of them know. */
  readonly rank: number;
  /** In the order in which they were taken. */
  readonly held: readonly number[];
}

/** The shards that a replica has beyond its share, the newest ones. */
export function surplusShards(distribution: Distribution): readonly number[] {
  return distribution.held.slice(evenShare(distribution));
}

/** How many shards a replica may still take. */
export function openPlaces(distribution: Distribution): number {
  return Math.max(0, evenShare(distribution) - distribution.held.length);
}
