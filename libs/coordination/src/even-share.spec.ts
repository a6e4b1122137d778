import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type Distribution, evenShare, openPlaces, surplusShards } from './even-share.ts';
import { mayWrite } from './write-right.ts';

describe('the even share', () => {
  it.each([
    { shardCount: 16, shares: [16] },
    { shardCount: 16, shares: [6, 5, 5] },
    { shardCount: 16, shares: [2, 2, 2, 2, 2, 2, 1, 1, 1, 1] },
    { shardCount: 2, shares: [1, 1, 0, 0, 0] },
  ])('of $shardCount shards is $shares by the ranks of the replicas', ({ shardCount, shares }) => {
    const replicas = shares.length;
    expect(shares.map((_, rank) => evenShare({ shardCount, replicas, rank }))).toEqual(shares);
  });

  it('hands the newest shards over, and no more than the surplus', () => {
    const distribution = { shardCount: 5, replicas: 2, rank: 1 };
    expect(surplusShards({ ...distribution, held: [3, 0, 1, 2] })).toEqual([1, 2]);
    expect(surplusShards({ ...distribution, rank: 0, held: [3, 0, 1] })).toEqual([]);
    expect(openPlaces({ ...distribution, held: [3] })).toBe(1);
    expect(openPlaces({ ...distribution, held: [3, 0, 1] })).toBe(0);
  });

  it('is reached from any joins and leaves, each of which moves the shards of who comes or goes alone', () => {
    const name = fc.stringMatching(/^[a-f0-9]{4}$/);
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 64 }), fc.array(name, { maxLength: 30 }), (shardCount, names) => {
        const fleet = new Fleet(shardCount);
        for (const each of names) {
          const [goes, before] = [fleet.sharesOf(), fleet.sharesOf()[each]];
          const moved = fleet.joinOrLeave(each);
          const shares = Object.values(fleet.sharesOf());
          if (shares.length === 0) continue;
          expect(shares.reduce((sum, share) => sum + share)).toBe(shardCount);
          expect(Math.max(...shares) - Math.min(...shares)).toBeLessThanOrEqual(1);
          // The first one takes what nobody holds.
          const meant = Object.keys(goes).length === 0 ? shardCount : (before ?? fleet.sharesOf()[each]);
          expect(moved).toBe(meant);
        }
      }),
    );
  });
});

/** Replicas that hand their surplus over and take what is free, each by its own rank, until none does any more. */
class Fleet {
  readonly #shardCount: number;
  readonly #held = new Map<string, readonly number[]>();

  constructor(shardCount: number) {
    this.#shardCount = shardCount;
  }

  sharesOf(): Readonly<Record<string, number>> {
    return Object.fromEntries([...this.#held].map(([name, held]) => [name, held.length]));
  }

  /** @returns how many shards have changed hands */
  joinOrLeave(name: string): number {
    if (!this.#held.delete(name)) this.#held.set(name, []);
    for (const each of this.#held.keys()) this.#handOver(each);
    return [...this.#held.keys()].reduce((taken, each) => taken + this.#take(each), 0);
  }

  #handOver(name: string): void {
    const surplus = surplusShards(this.#distributionOf(name));
    const kept = this.#heldBy(name).filter((shard) => !surplus.includes(shard));
    this.#held.set(name, kept);
  }

  #take(name: string): number {
    const taken = [...this.#held.values()].flat();
    const free = Array.from({ length: this.#shardCount }, (_, shard) => shard).filter(
      (shard) => !taken.includes(shard),
    );
    const mine = free.slice(0, openPlaces(this.#distributionOf(name)));
    this.#held.set(name, [...this.#heldBy(name), ...mine]);
    return mine.length;
  }

  #distributionOf(name: string): Distribution {
    const rank = [...this.#held.keys()].sort().indexOf(name);
    return { shardCount: this.#shardCount, replicas: this.#held.size, rank, held: this.#heldBy(name) };
  }

  #heldBy(name: string): readonly number[] {
    return this.#held.get(name) ?? [];
  }
}

describe('the right to write', () => {
  const terms = { leaseDurationMilliseconds: 15, renewDeadlineMilliseconds: 10, retryPeriodMilliseconds: 2 };

  it.each([
    { lease: 100, fence: 100, now: 109, right: true },
    { lease: 100, fence: 105, now: 110, right: false },
    { lease: 105, fence: 100, now: 110, right: false },
    { lease: null, fence: 100, now: 109, right: true },
    { lease: null, fence: 100, now: 110, right: false },
  ])('of a Lease of $lease and a fence of $fence is $right at $now', ({ lease, fence, now, right }) => {
    expect(mayWrite({ lease, fence }, now, terms)).toBe(right);
  });
});
