import { TargetLosses, type TargetSample } from './target-losses.ts';

/** How many targets of one shard one source of metrics would take so much from. */
export interface ShardLosses {
  readonly shard: number;
  readonly metricSource: string;
  readonly losing: number;
}

/** Where a target is counted. */
interface CountedTarget {
  readonly metricSource: string;
  readonly shard: number;
  readonly target: string;
}

/**
 * The targets that sources of metrics would take so much from, over all shards: those that this process decides as it
 * sees them, and those of other processes as they stored them. A shard counts once: while it changes hands, by the larger
 * of what its last holder stored and what its new one has seen so far.
 */
export class FleetLosses {
  readonly #windowMilliseconds: number;
  /** By source, by shard. */
  readonly #own = new Map<string, Map<number, TargetLosses>>();
  #others: ReadonlyMap<string, ReadonlyMap<number, number>> = new Map();
  /** By source, until it changes: each decision asks several times, and there are many shards. */
  readonly #sums = new Map<string, number>();

  constructor(windowMilliseconds: number) {
    this.#windowMilliseconds = windowMilliseconds;
  }

  /** Takes a sample of a target that this process decides. @see TargetLosses.note */
  note(
    { metricSource, shard, target }: CountedTarget,
    sample: TargetSample,
    at: Parameters<TargetLosses['note']>[2],
  ): number | null {
    const shards = this.#own.get(metricSource) ?? new Map<number, TargetLosses>();
    this.#own.set(metricSource, shards);
    const losses = shards.get(shard) ?? new TargetLosses(this.#windowMilliseconds);
    shards.set(shard, losses);
    const before = losses.losing;
    const since = losses.note(target, sample, at);
    if (losses.losing !== before) this.#sums.delete(metricSource);
    return since;
  }

  /** Targets that the source would take so much from now. */
  losing(metricSource: string): number {
    const sum = this.#sums.get(metricSource) ?? this.#sumOf(metricSource);
    this.#sums.set(metricSource, sum);
    return sum;
  }

  #sumOf(metricSource: string): number {
    const own = this.#own.get(metricSource);
    const others = this.#others.get(metricSource);
    let sum = 0;
    for (const [shard, { losing }] of own ?? []) sum += Math.max(losing, others?.get(shard) ?? 0);
    for (const [shard, losing] of others ?? []) if (own?.has(shard) !== true) sum += losing;
    return sum;
  }

  /** Those of the shards that this process decides, by source and shard, without those that lose nothing. */
  listOwn(now: number): readonly ShardLosses[] {
    this.#sums.clear();
    return [...this.#own].flatMap(([metricSource, shards]) =>
      [...shards].flatMap(([shard, losses]) => {
        losses.prune(now);
        return losses.losing === 0 ? [] : [{ shard, metricSource, losing: losses.losing }];
      }),
    );
  }

  /** Replaces what others stored. @returns the sources that it is about, before or now */
  replaceOthers(losses: readonly ShardLosses[]): ReadonlySet<string> {
    this.#sums.clear();
    const before = this.#others.keys();
    const bySource = Map.groupBy(losses, ({ metricSource }) => metricSource);
    this.#others = new Map(
      [...bySource].map(([source, list]) => [
        source,
        new Map(list.map(({ shard, losing }) => [shard, losing])),
      ]),
    );
    return new Set([...before, ...bySource.keys()]);
  }

  /** Forgets all other targets of this process. */
  retain(targets: ReadonlySet<string>): void {
    this.#sums.clear();
    for (const shards of this.#own.values()) for (const losses of shards.values()) losses.retain(targets);
  }

  /** Forgets the targets of a shard that this process decides no more. */
  leave(shard: number): void {
    this.#sums.clear();
    for (const shards of this.#own.values()) shards.delete(shard);
  }
}
