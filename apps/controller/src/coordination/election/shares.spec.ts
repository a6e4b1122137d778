import { describe, expect, it } from '@jest/globals';
import type { ElectedHoldings } from './elected-holdings.ts';
import { ElectedWorld, whenAnswered } from './testing/elected-world.ts';

/** Sixteen shards, as by default. */
function aFleetWorld(): ElectedWorld {
  const world = new ElectedWorld();
  world.layout = { shardCount: 16, isChanging: false };
  return world;
}

describe('the shares of replicas', () => {
  it('are even within seconds, whoever joins, stops or is killed', async () => {
    const world = aFleetWorld();
    const replicas = new Map<string, ElectedHoldings>();
    const join = async (name: string): Promise<void> => {
      const replica = world.replica(name);
      replicas.set(name, replica);
      await world.start(replica, name);
    };
    const shares = async (seconds: number): Promise<readonly number[]> => {
      await world.pass(seconds, ...replicas.keys());
      return world.sharesOf(...replicas.values()).toSorted((a, b) => b - a);
    };
    await join('m');
    expect(await shares(3)).toEqual([16]);
    await join('b');
    expect(await shares(6)).toEqual([8, 8]);
    await join('x');
    expect(await shares(6)).toEqual([6, 5, 5]);
    await Promise.all(['c', 'n', 'a', 'y'].map(join));
    expect(await shares(8)).toEqual([3, 3, 2, 2, 2, 2, 2]);
    const stopped = replicas.get('b');
    replicas.delete('b');
    await stopped?.stop();
    expect(await shares(4)).toEqual([3, 3, 3, 3, 2, 2]);
    // Killed: its shards wait for their Leases to expire.
    replicas.delete('c');
    replicas.delete('m');
    expect(await shares(24)).toEqual([4, 4, 4, 4]);
    expect(world.lost).toEqual([]);
    await Promise.all([...replicas.values()].map((replica) => replica.stop()));
  });

  it('are handed over one shard first, which is taken back soon from a replica that came and was killed', async () => {
    const world = aFleetWorld();
    const a = world.replica('a');
    await world.start(a, 'a');
    await world.pass(3, 'a');
    await world.start(world.replica('killed'), 'killed');
    await world.pass(4, 'a');
    expect(world.sharesOf(a)).toEqual([15]);
    await world.pass(4, 'a');
    expect([world.sharesOf(a), world.lost]).toEqual([[16], []]);
    await a.stop();
  });

  it('are handed to one that joins, also where another has just left what it was handed', async () => {
    const world = aFleetWorld();
    const [a, c] = [world.replica('a'), world.replica('c')];
    await world.start(a, 'a');
    await world.pass(3, 'a');
    // Its attempts hang, while it announces itself.
    const pending = Promise.withResolvers<undefined>();
    const fences = whenAnswered(world.fences, () => pending.promise);
    const b = world.replica('b', { fences: { ...fences, renew: (held) => world.fences.renew(held) } });
    await world.start(b, 'b');
    await world.pass(10, 'a', 'b');
    expect(world.sharesOf(a, b)).toEqual([15, 0]);
    await world.pass(40, 'a', 'b');
    expect(world.sharesOf(a, b)).toEqual([16, 0]);
    await world.start(c, 'c');
    await world.pass(6, 'a', 'b', 'c');
    expect([world.sharesOf(c), world.lost]).toEqual([[5], []]);
    pending.resolve(undefined);
    await Promise.all([a, b, c].map((replica) => replica.stop()));
  });
});
