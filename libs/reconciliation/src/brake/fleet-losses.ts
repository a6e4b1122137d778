import type { ShardLook } from './loss-wait.ts';
import { TargetLosses, type TargetSample } from './target-losses.ts';

/** How many targets of one shard one source of metrics would take so much from. */
export interface ShardLosses {
  readonly shard: number;
  readonly metricSource: string;
  readonly losing: number;
}

/** What another process has stored of a shard, and of the looks at it. */
export interface StoredShardLosses extends ShardLosses, ShardLook {}

/** A count of another process; times are of the same clock as everything here. */
interface OtherCount {
  readonly losing: number;
  readonly lookedMilliseconds: number;
  readonly lookedUntil: number;
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
  #others: ReadonlyMap<string, ReadonlyMap<number, OtherCount>> = new Map();
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
    for (const [shard, { losing }] of own ?? []) sum += Math.max(losing, others?.get(shard)?.losing ?? 0);
    for (const [shard, { losing }] of others ?? []) if (own?.has(shard) !== true) sum += losing;
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

  /** The sources by which any replica would lose anything, as far as this one knows. */
  losingSources(): readonly string[] {
    const sources = new Set([...this.#own.keys(), ...this.#others.keys()]);
    return [...sources].filter((source) => this.losing(source) > 0);
  }

  /** Until when this process has looked at its targets of a shard. @see TargetLosses.lookedUntil */
  lookedUntil(metricSource: string, shard: number, now: number): number {
    return this.#own.get(metricSource)?.get(shard)?.lookedUntil(now) ?? now;
  }

  /** What another process has stored of its looks at a shard's targets, as far as this one knows; null: nothing. */
  otherLookAt(metricSource: string, shard: number, now: number): ShardLook | null {
    const count = this.#others.get(metricSource)?.get(shard);
    if (count === undefined) return null;
    const { lookedMilliseconds, lookedUntil } = count;
    return { lookedMilliseconds, silentMilliseconds: now - lookedUntil };
  }

  /**
   * Replaces what others stored.
   *
   * @param readAt from when on how long they are silent counts
   * @returns the sources that it is about, before or now
   */
  replaceOthers(losses: readonly StoredShardLosses[], readAt: number): ReadonlySet<string> {
    this.#sums.clear();
    const before = this.#others.keys();
    const bySource = Map.groupBy(losses, ({ metricSource }) => metricSource);
    this.#others = new Map(
      [...bySource].map(([source, list]) => [source, new Map(list.map((each) => countOf(each, readAt)))]),
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

/** What says that it has looked until a moment that is to come was stored before the database's clock was set back. */
function countOf(
  { shard, losing, lookedMilliseconds, silentMilliseconds }: StoredShardLosses,
  readAt: number,
): readonly [number, OtherCount] {
  const isToCome = silentMilliseconds < 0;
  const lookedUntil = readAt - silentMilliseconds;
  return [shard, { losing, lookedMilliseconds: isToCome ? 0 : lookedMilliseconds, lookedUntil }];
}
