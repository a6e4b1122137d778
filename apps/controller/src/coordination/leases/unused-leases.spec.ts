import { describe, expect, it } from '@jest/globals';
import type { LeaseRecord } from '#coordination';
import { AdapterError } from '#kernel';
import { away, aWorldOf, ElectedWorld, whenAnswered } from '../election/testing/elected-world.ts';

async function replicasIn(world: ElectedWorld): Promise<readonly string[]> {
  const start = 'plimsoll-replica-';
  const listed = await world.leases.list();
  return listed.flatMap(({ name }) => (name.startsWith(start) ? [name.slice(start.length)] : []));
}

/** Replicas that have announced themselves, and were killed. */
async function kill(world: ElectedWorld, ...names: readonly string[]): Promise<void> {
  for (const name of names) await world.start(world.replica(name), name);
}

const record: LeaseRecord = {
  holder: 'b',
  durationMilliseconds: 15_000,
  acquireTime: null,
  renewTime: null,
  transitions: 0,
  advertisedUrl: null,
  takesShards: true,
  reachesDatabase: true,
  version: null,
  settings: null,
};

describe('the Leases of shards that the leader does not know', () => {
  const name = 'plimsoll-shard-9';
  const isThere = async (world: ElectedWorld): Promise<boolean> =>
    (await world.leases.list()).some((lease) => lease.name === name);

  it('stay while somebody renews them, who knows of a larger number by now', async () => {
    const [world, a] = await aWorldOf('a');
    let write = await world.leases.create(name, record);
    for (let renewal = 0; renewal < 20; renewal += 1) {
      await world.pass(2, 'a');
      expect([renewal, await isThere(world)]).toEqual([renewal, true]);
      if (write.kind === 'Written') write = await world.leases.update(write.lease, record);
    }
    await world.pass(14, 'a');
    expect(await isThere(world)).toBe(true);
    await world.pass(3, 'a');
    expect(await isThere(world)).toBe(false);
    await a?.stop();
  });

  it('are deleted at once where nobody holds them', async () => {
    const [world, a] = await aWorldOf('a');
    await world.leases.create(name, { ...record, holder: null });
    await world.pass(2, 'a');
    expect(await isThere(world)).toBe(false);
    await a?.stop();
  });
});

describe('the Leases that replicas announce themselves by', () => {
  it('are deleted a minute after their replicas were killed, some at a time, and never those of one that lives', async () => {
    const [world, a, b] = await aWorldOf('a', 'b');
    const killed = Array.from({ length: 25 }, (_, index) => `killed-${index}`);
    await kill(world, ...killed);
    expect(await replicasIn(world)).toHaveLength(27);
    await world.pass(55, 'a', 'b');
    expect(await replicasIn(world)).toHaveLength(27);
    await world.pass(15, 'a', 'b');
    expect(await replicasIn(world)).toEqual(['a', 'b']);
    expect(world.lost).toEqual([]);
    await Promise.all([a?.stop(), b?.stop()]);
  });

  it('are kept while the database, or the API server, is away from all, and for as long after', async () => {
    for (const isDatabase of [true, false]) {
      const world = new ElectedWorld();
      let isReached = true;
      const fences = whenAnswered(world.fences, () => (isReached ? Promise.resolve() : Promise.reject(away)));
      const [a, b] = [world.replica('a', { fences }), world.replica('b', { fences })];
      await world.start(a, 'a');
      await world.start(b, 'b');
      await world.pass(6, 'a', 'b');
      if (isDatabase) isReached = false;
      else world.leases.failure = away;
      await world.pass(isDatabase ? 200 : 8, 'a', 'b');
      isReached = true;
      world.leases.failure = null;
      // The leader is answered first.
      for (const moment of [1, 30]) {
        await world.pass(moment, 'a');
        expect([isDatabase, await replicasIn(world)]).toEqual([isDatabase, ['a', 'b']]);
      }
      await Promise.all([a.stop(), b.stop()]);
    }
  });

  it('that cannot be deleted keep nobody from renewing, and are told of', async () => {
    const [world, a] = await aWorldOf('a');
    await kill(world, 'killed');
    world.leases.delete = () =>
      Promise.reject(new AdapterError({ code: 'Forbidden', message: 'may not delete', retryable: false }));
    await world.pass(90, 'a');
    const said = world.logged.filter((line) => line.includes('Leases'));
    expect(said).toEqual(['Leases that nobody uses any more could not be deleted']);
    expect([a!.leasesFailingSince, world.sharesOf(a!), world.lost]).toEqual([null, [4], []]);
    await a?.stop();
  });
});
