/** A shard, as it is held. */
export interface HeldShard {
  readonly shard: number;
  /** Id of a replica; null: none holds it now. */
  readonly holder: string | null;
  readonly since: string | null;
  /** Null: it is not known. */
  readonly epoch: string | null;
}

/** Shards that were taken over together, as far as a reader can tell: within the same second. */
export interface ShardHolding {
  readonly shards: readonly number[];
  /** RFC 3339, of the first of them; null: it is not known. */
  readonly since: string | null;
  /** Of each shard that is not in its first take-over. */
  readonly epochs: readonly string[];
}

/** What one holds, by when it was taken over, the oldest first; null: what none holds. */
export function holdingsOf(holder: string | null, shards: readonly HeldShard[]): readonly ShardHolding[] {
  const own = shards.filter((each) => each.holder === holder);
  const groups = Map.groupBy(own, ({ since }) =>
    since === null ? '' : new Date(since).toISOString().slice(0, 19),
  );
  return [...groups.values()]
    .map((group) => ({
      shards: group.map(({ shard }) => shard),
      since: group.map(({ since }) => since).toSorted()[0] ?? null,
      epochs: [...new Set(group.flatMap(({ epoch }) => epoch ?? []))],
    }))
    .toSorted((one, other) => (one.since ?? '').localeCompare(other.since ?? ''));
}
