/** A shard, as it is held. */
export interface HeldShard {
  readonly shard: number;
  /** Id of a replica; null: none holds it now. */
  readonly holder: string | null;
  readonly since: string | null;
  readonly epoch: string;
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
      epochs: [...new Set(group.map(({ epoch }) => epoch))],
    }))
    .toSorted((one, other) => (one.since ?? '').localeCompare(other.since ?? ''));
}

/** `0–3, 7` */
export function rangesOf(numbers: readonly number[]): string {
  const ranges: [first: number, last: number][] = [];
  for (const number of numbers.toSorted((one, other) => one - other)) {
    const range = ranges.at(-1);
    if (range?.[1] === number - 1) range[1] = number;
    else ranges.push([number, number]);
  }
  return ranges.map(([first, last]) => (first === last ? String(first) : `${first}–${last}`)).join(', ');
}
