import { describe, expect, it } from '@jest/globals';
import { AdapterError } from '#kernel';
import type { ElectionFences } from '../leases/election-tools.ts';
import { away, aWorldOf, ElectedWorld, whenAnswered } from './testing/elected-world.ts';

describe('what replicas share that cannot do all that they should', () => {
  it('goes to others where this replica can begin none of it, and is shared again once it can', async () => {
    const world = new ElectedWorld();
    const [a, b] = [world.replica('a'), world.replica('b')];
    let isAble = true;
    const unreadable = new AdapterError({ code: 'QueryFailed', message: 'unreadable', retryable: true });
    await world.start(a, 'a');
    await world.pass(3, 'a');
    isAble = false;
    await world.start(b, 'b', {
      begin: () => (isAble ? Promise.resolve() : Promise.reject(unreadable)),
    });
    await world.pass(14, 'a', 'b');
    expect([world.sharesOf(a, b), b.replicas.map(({ takesShards }) => takesShards)]).toEqual([
      [4, 0],
      [true, false],
    ]);
    // It is tried again, by one shard after the other, and each time those who can go on.
    let unwatched = 0;
    for (let second = 0; second < 400; second += 1) {
      await world.pass(1, 'a', 'b');
      unwatched = world.sharesOf(a)[0] === 4 ? 0 : unwatched + 1;
      expect(unwatched).toBeLessThan(15);
    }
    isAble = true;
    await world.pass(200, 'a', 'b');
    expect([world.sharesOf(a, b), world.lost]).toEqual([[2, 2], []]);
    await Promise.all([a.stop(), b.stop()]);
  });

  it('goes to others where this replica wins it and cannot take the fence', async () => {
    const world = new ElectedWorld();
    const readOnly = new AdapterError({ code: 'ReadOnly', message: 'a standby', retryable: true });
    const fences = {
      ...whenAnswered(world.fences, () => Promise.resolve()),
      takeElected: () => Promise.reject(readOnly),
    };
    const [a, b] = [world.replica('a'), world.replica('b', { fences })];
    await world.start(b, 'b');
    await world.pass(2, 'b');
    await world.start(a, 'a');
    await world.pass(30, 'a', 'b');
    expect([a.isLeader, world.sharesOf(a, b), world.lost]).toEqual([true, [4, 0], []]);
    await Promise.all([a.stop(), b.stop()]);
  });

  it('is tried by all of them, one Lease after the other, where none can begin', async () => {
    const world = new ElectedWorld();
    let isAble = false;
    const unreadable = new AdapterError({ code: 'QueryFailed', message: 'unreadable', retryable: true });
    const begin = (): Promise<void> => (isAble ? Promise.resolve() : Promise.reject(unreadable));
    const [a, b] = [world.replica('a'), world.replica('b')];
    const leader = { begin: () => Promise.resolve(), end: () => Promise.resolve() };
    await world.start(a, 'a', { begin }, leader);
    await world.start(b, 'b', { begin }, leader);
    await world.pass(100, 'a', 'b');
    isAble = true;
    await world.pass(20, 'a', 'b');
    expect(world.sharesOf(a, b).reduce((sum, share) => sum + share)).toBe(4);
    await Promise.all([a.stop(), b.stop()]);
  });

  it('is taken by any replica where those with a place for it do not come', async () => {
    const world = new ElectedWorld();
    const pending = Promise.withResolvers<undefined>();
    let isLate = false;
    // Its attempts hang, while it announces itself.
    const fences = {
      ...whenAnswered(world.fences, () => Promise.resolve()),
      look: (scopes: readonly string[]) =>
        isLate ? pending.promise.then(() => world.fences.look(scopes)) : world.fences.look(scopes),
    };
    const [a, b] = [world.replica('a'), world.replica('b', { fences })];
    await world.start(a, 'a');
    await world.pass(3, 'a');
    isLate = true;
    await world.start(b, 'b');
    await world.pass(30, 'a', 'b');
    expect([world.sharesOf(a), b.replicas.length]).toEqual([[4], 2]);
    pending.resolve(undefined);
    await Promise.all([a.stop(), b.stop()]);
  });

  it('stays with its holder where somebody writes another duration into its Leases', async () => {
    const [world, a, b] = await aWorldOf('a', 'b');
    await world.pass(6, 'a', 'b');
    for (const durationMilliseconds of [null, 0, -1, 1_000]) {
      for (const lease of await world.leases.list())
        await world.leases.update(lease, { ...lease.record, durationMilliseconds });
      await world.pass(3, 'b');
      await world.pass(3, 'a', 'b');
      expect([durationMilliseconds, world.sharesOf(a!, b!), world.lost]).toEqual([
        durationMilliseconds,
        [2, 2],
        [],
      ]);
    }
    await Promise.all([a?.stop(), b?.stop()]);
  });

  it('is kept where the database is away from all, and answers this replica a moment after the other', async () => {
    const world = new ElectedWorld();
    const reached = new Set(['a', 'b']);
    const fencesOf = (name: string): ElectionFences =>
      whenAnswered(world.fences, () => (reached.has(name) ? Promise.resolve() : Promise.reject(away)));
    const [a, b] = ['a', 'b'].map((name) => world.replica(name, { fences: fencesOf(name) }));
    await world.start(a!, 'a');
    await world.start(b!, 'b');
    await world.pass(8, 'a', 'b');
    reached.clear();
    await world.pass(40, 'a', 'b');
    reached.add('b');
    await world.pass(4.5, 'a', 'b');
    reached.add('a');
    await world.pass(10, 'a', 'b');
    expect([world.lost, world.sharesOf(a!, b!)]).toEqual([[], [2, 2]]);
    await Promise.all([a?.stop(), b?.stop()]);
  });

  it('is handed over only while the database answers: what cannot be given up there is kept', async () => {
    const [world, a] = await aWorldOf('a');
    const { fences } = world;
    const working = { renew: fences.renew.bind(fences), giveUp: fences.giveUp.bind(fences) };
    Object.assign(fences, { renew: () => Promise.reject(away), giveUp: () => Promise.reject(away) });
    await world.pass(5, 'a');
    const b = world.replica('b');
    await world.start(b, 'b');
    await world.pass(4, 'a', 'b');
    expect([world.sharesOf(a!), world.began.filter((line) => line.startsWith('a leaves'))]).toEqual([
      [4],
      [],
    ]);
    Object.assign(fences, working);
    await world.pass(10, 'a', 'b');
    expect([world.sharesOf(a!, b), world.lost]).toEqual([[2, 2], []]);
    await Promise.all([a?.stop(), b.stop()]);
  });
});
