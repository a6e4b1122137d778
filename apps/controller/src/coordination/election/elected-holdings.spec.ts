import { describe, expect, it } from '@jest/globals';
import { AdapterError } from '#kernel';
import { administrationScope, shardScope, sourceScope } from '#ledger';
import type { ScopeWork } from '../holdings/holdings.ts';
import type { ElectionFences, ElectionLeases } from '../leases/election-tools.ts';
import {
  away,
  aWorldOf,
  ElectedWorld,
  inTheWay,
  shardCount,
  signal,
  terms,
  whenAnswered,
} from './testing/elected-world.ts';

describe('what a replica holds by election', () => {
  it('is everything where it is alone, and its work begins once the fence is taken', async () => {
    const [world, a] = await aWorldOf('a');
    expect([a?.role, a?.isLeader, await a?.leaderUrl()]).toEqual(['active', true, null]);
    expect(world.sharesOf(a!)).toEqual([4]);
    expect([...world.began].sort()).toEqual(
      ['the leader', ...[0, 1, 2, 3].map((shard) => `shard ${shard}`)]
        .map((what) => `a takes ${what}`)
        .sort(),
    );
    expect(a?.of(sourceScope('policies'))).toMatchObject({ epoch: 1n, holder: 'a' });
    expect(a?.mayWrite(shardScope(2))).toBe(true);
    expect(() => a?.of('source/none')).toThrow('does not hold');
    expect(a?.heldSince(shardScope(2))).toMatch(/^1970-01-01T00:00:0[0-2]/);
    expect(a?.heldSince('source/none')).toBeNull();
    await a?.stop();
  });

  it('is an even share once another has come, which gets the surplus without waiting for an expiry', async () => {
    const [world, a] = await aWorldOf('a');
    const b = world.replica('b');
    await world.start(b, 'b');
    await world.pass(10, 'a', 'b');
    expect(world.sharesOf(a!, b)).toEqual([2, 2]);
    expect([a?.isLeader, b.isLeader, await b.leaderUrl()]).toEqual([true, false, 'http://a:8080']);
    expect(b.replicas.map(({ identity }) => identity)).toEqual(['a', 'b']);
    expect(world.lost).toEqual([]);
    await Promise.all([a?.stop(), b.stop()]);
  });

  it('goes to the others at once when it stops, and they are told apart from replicas that are gone', async () => {
    const [world, a, b] = await aWorldOf('a', 'b');
    await world.pass(6, 'a', 'b');
    await a?.stop();
    expect(world.logged.slice(-1)).toEqual(['what was held is given up, but for what expires']);
    expect(world.logged).toContain('giving up what is held: first the shards');
    await world.pass(4, 'b');
    expect([world.sharesOf(b!), b?.isLeader]).toEqual([[4], true]);
    expect(b?.replicas.map(({ identity }) => identity)).toEqual(['b']);
    await b?.stop();
    expect(await world.leases.list()).not.toContainEqual(
      expect.objectContaining({ name: 'plimsoll-replica-b' }),
    );
  });

  it('goes to the others at once also where an announcement that the stop has cut off was made', async () => {
    const [world, a, b] = await aWorldOf('a', 'b');
    await world.pass(6, 'a', 'b');
    const announced = (await world.leases.list()).find(({ name }) => name === 'plimsoll-replica-a')!;
    await world.leases.update(announced, announced.record);
    await a?.stop();
    await world.pass(4, 'b');
    expect(world.sharesOf(b!)).toEqual([4]);
    await b?.stop();
  });

  it('is known from the Leases alone, with what each replica says of itself', async () => {
    const [world, , b] = await aWorldOf('a', 'b');
    await world.pass(6, 'a', 'b');
    const { holders, lookedAt } = b!.leaseHolders;
    expect(holders.map(({ scope }) => scope)).toEqual([administrationScope, ...[0, 1, 2, 3].map(shardScope)]);
    expect(holders.map(({ holder }) => holder).toSorted()).toEqual(['a', 'a', 'a', 'b', 'b']);
    expect(lookedAt).not.toBeNull();
    const [first] = b!.replicas;
    expect(first).toMatchObject({ identity: 'a', version: '1.2.3', advertisedUrl: 'http://a:8080' });
    await world.pass(6, 'a', 'b');
    const [later] = b!.replicas;
    expect(later?.since).toBe(first?.since);
    expect(later?.seenAt).toBeGreaterThan(first?.seenAt ?? 0);
    // What a replica that is gone has left says nothing any more.
    await world.pass(16, 'b');
    expect(b!.leaseHolders.holders.map(({ holder }) => holder)).not.toContain('a');
    await b?.stop();
  });

  it('is known to be carried out by the replica that began it, since then, and by no other', async () => {
    const [world, a, b] = await aWorldOf('a', 'b');
    await world.pass(20, 'a', 'b');
    const shard = [0, 1, 2, 3].find((each) => b?.holds(shardScope(each)))!;
    expect(a!.carriedOutMilliseconds(shard)).toBeNull();
    expect(b!.carriedOutMilliseconds(shard)).toBeGreaterThan(5_000);
    await world.pass(20, 'a');
    expect(a!.holds(shardScope(shard))).toBe(true);
    expect(a!.carriedOutMilliseconds(shard)).toBeLessThan(6_000);
    expect(a!.carriedOutMilliseconds(4)).toBeNull();
    await a!.stop();
  });

  it('is taken over from a replica that was stopped, which writes nothing when it goes on and loses all', async () => {
    const [world, a, b] = await aWorldOf('a', 'b');
    await world.pass(6, 'a', 'b');
    const held = [0, 1, 2, 3].map(shardScope).filter((scope) => a?.holds(scope));
    const before = a?.of(held[0]!);
    await world.pass(11, 'b');
    expect([world.sharesOf(b!), a?.mayWrite(held[0]!)]).toEqual([[2], false]);
    await world.pass(8, 'b');
    expect(world.sharesOf(b!)).toEqual([4]);
    expect(world.fences.isInForce(before!)).toBe(false);
    expect(a?.mayWrite(held[0]!)).toBe(false);
    await world.pass(1, 'a', 'b');
    expect([world.lost, a?.role, a?.holds(held[0]!), b?.role]).toEqual([['a'], 'fenced', false, 'active']);
    const begun = world.began.length;
    await a?.stop();
    expect(world.began.slice(begun).filter((line) => line.startsWith('a leaves'))).toHaveLength(3);
    expect(world.lost).toEqual(['a']);
    await b?.stop();
  });

  it('is lost as a whole when the API server has not answered until the deadline', async () => {
    const [world, a] = await aWorldOf('a');
    world.leases.failure = new AdapterError({ code: 'Timeout', message: 'none', retryable: true });
    await world.pass(7, 'a');
    expect([world.lost, a?.mayWrite(shardScope(0))]).toEqual([[], true]);
    await world.pass(4, 'a');
    expect([world.lost, a?.mayWrite(shardScope(0))]).toEqual([['a'], false]);
    const said = world.logged.length;
    await a?.stop();
    // What is over, and what cannot be given up, is one line each, and not one for each scope.
    expect(world.logged.slice(said - 1)).toEqual([
      expect.stringContaining('the API server has not let the Leases be renewed'),
      'not everything could be given up; others take it over once it has expired',
    ]);
    expect(world.logFields.slice(said - 1)).toEqual([
      { shards: 4, isLeader: true, leasesFailingSince: expect.any(String) },
      {
        leases: [0, 1, 2, 3].map((shard) => `plimsoll-shard-${shard}`).concat('plimsoll-leader'),
        reason: 'none',
        seconds: 15,
      },
    ]);
  });

  it('is lost by a process that stood still, which does not say that it was the API server', async () => {
    const [world, a] = await aWorldOf('a');
    await world.pass(12);
    await world.pass(1, 'a');
    const late = expect.stringContaining('though no request for them failed: this process stood still');
    expect([world.lost, world.logged.at(-1)]).toEqual([['a'], late]);
    expect(world.logFields.at(-1)).toEqual({ shards: 4, isLeader: true, leasesFailingSince: null });
    await a?.stop();
  });

  it('is kept where the Lease of a shard is deleted by hand', async () => {
    const [world, a, b] = await aWorldOf('a', 'b');
    await world.pass(6, 'a', 'b');
    for (const lease of await world.leases.list())
      if (lease.name.includes('-shard-')) await world.leases.delete(lease);
    await world.pass(6, 'b', 'a');
    expect([...world.lost]).toEqual([]);
    expect(world.sharesOf(a!, b!)).toEqual([2, 2]);
    await Promise.all([a?.stop(), b?.stop()]);
  });

  it('writes nothing once the fences could not be renewed until the deadline, and says so', async () => {
    const [world, a] = await aWorldOf('a');
    const renew = world.fences.renew.bind(world.fences);
    world.fences.renew = () =>
      Promise.reject(new AdapterError({ code: 'ConnectionFailed', message: 'away', retryable: true }));
    await world.pass(11, 'a');
    expect([a?.mayWrite(shardScope(0)), a?.holds(shardScope(0)), world.lost]).toEqual([false, true, []]);
    expect([a?.failingSince, a?.failure]).toEqual([
      expect.any(String),
      'the number of shards could not be read, or the scopes renewed: away',
    ]);
    world.fences.renew = renew;
    await world.pass(2, 'a');
    expect([a?.mayWrite(shardScope(0)), a?.failingSince, a?.failure]).toEqual([true, null, null]);
    await a?.stop();
  });

  it('is free for others at once where it was lost to a deadline alone, unless a write has no answer', async () => {
    for (const code of ['Fenced', 'WriteUnanswered'] as const) {
      const world = new ElectedWorld();
      const a = world.replica('a');
      const unable = new AdapterError({ code, message: 'cannot end as usual', retryable: true });
      await world.start(a, 'a', { end: () => Promise.reject(unable) });
      await world.pass(3, 'a');
      const fence = a.of(shardScope(1));
      world.leases.failure = away;
      await world.pass(13, 'a');
      expect([world.lost, world.fences.isInForce(fence)]).toEqual([['a'], true]);
      world.leases.failure = null;
      await a.stop();
      const b = world.replica('b');
      await world.start(b, 'b');
      await world.pass(1, 'b');
      expect([code, world.sharesOf(b)]).toEqual([code, code === 'Fenced' ? [4] : [0]]);
      await b.stop();
    }
  });

  it.each([0.25, 0.5, 0.75, 1])(
    'is taken over as soon as the Lease of a replica that is gone expires, also where looks begin %s s after renewals',
    async (seconds) => {
      const world = new ElectedWorld();
      const [a, b] = [world.replica('a'), world.replica('b')];
      await world.start(a, 'a');
      await world.pass(seconds, 'a');
      await world.start(b, 'b');
      await world.pass(6 - seconds, 'a', 'b');
      // Seen a quarter of a retry period after it was written at the latest, and lasting 15 s from then on.
      await world.pass(15.75, 'b');
      expect([world.sharesOf(b), b.isLeader]).toEqual([[4], true]);
      await b.stop();
    },
  );

  it('is taken over at once by one that has its share, where a replica that has just come cannot know yet', async () => {
    const [world, , b] = await aWorldOf('a', 'b');
    await world.pass(6, 'a', 'b');
    await world.pass(12, 'b');
    const c = world.replica('c');
    await world.start(c, 'c');
    // By its own observation, it would have to wait for another twelve seconds.
    await world.pass(7, 'b', 'c');
    expect(world.sharesOf(b!, c)).toEqual([2, 2]);
    await Promise.all([b?.stop(), c.stop()]);
  });

  it('is resigned where the database answers another replica and not this one, so that the other goes on', async () => {
    const world = new ElectedWorld();
    let isReached = true;
    const fences = whenAnswered(world.fences, () => (isReached ? Promise.resolve() : Promise.reject(away)));
    const [a, b] = [world.replica('a', { fences }), world.replica('b')];
    await world.start(a, 'a');
    await world.start(b, 'b');
    await world.pass(8, 'a', 'b');
    expect([world.sharesOf(a, b), a.isLeader]).toEqual([[2, 2], true]);
    isReached = false;
    await world.pass(8, 'a', 'b');
    expect(world.lost).toEqual([]);
    await world.pass(12, 'a', 'b');
    expect([world.lost, a.role, world.sharesOf(a, b), b.isLeader]).toEqual([['a'], 'fenced', [0, 4], true]);
    expect(world.logFields).toContainEqual({ shards: 2, isLeader: true, leasesFailingSince: null });
    await Promise.all([a.stop(), b.stop()]);
  });

  it('is kept by every replica where the database answers none, however long', async () => {
    const world = new ElectedWorld();
    let isReached = true;
    const fences = whenAnswered(world.fences, () => (isReached ? Promise.resolve() : Promise.reject(away)));
    const [a, b] = [world.replica('a', { fences }), world.replica('b', { fences })];
    await world.start(a, 'a');
    await world.start(b, 'b');
    await world.pass(8, 'a', 'b');
    isReached = false;
    await world.pass(120, 'a', 'b');
    expect([world.lost, world.sharesOf(a, b)]).toEqual([[], [2, 2]]);
    // They live, and say so, which is another matter than what the database answers them.
    expect(
      b.replicas.map(({ identity, advertisedUrl, takesShards }) => [identity, advertisedUrl, takesShards]),
    ).toEqual([
      ['a', 'http://a:8080', false],
      ['b', 'http://b:8080', false],
    ]);
    const renewed = (await world.leases.list()).filter(({ name }) => name.startsWith('plimsoll-replica-'));
    expect(renewed.map(({ record }) => Date.parse(record.renewTime ?? '') > 120_000)).toEqual([true, true]);
    const known = b.leaseHolders.holders.map(({ holder }) => holder);
    expect(known.toSorted()).toEqual(['a', 'a', 'a', 'b', 'b']);
    isReached = true;
    await world.pass(6, 'a', 'b');
    expect([world.lost, world.sharesOf(a, b)]).toEqual([[], [2, 2]]);
    expect(b.replicas.map(({ takesShards }) => takesShards)).toEqual([true, true]);
    const held = [0, 1, 2, 3].map(shardScope).find((scope) => a.holds(scope)) ?? '';
    expect(a.mayWrite(held)).toBe(true);
    await Promise.all([a.stop(), b.stop()]);
  });

  it('is not lost to a look at the Leases that was answered late', async () => {
    const [world, before] = await aWorldOf('before');
    await before?.stop();
    const [attempt, look] = [Promise.withResolvers<undefined>(), Promise.withResolvers<undefined>()];
    let looks = 0;
    const { leases } = world;
    const late: ElectionLeases = {
      list: async () => {
        const listed = await leases.list();
        looks += 1;
        // The start's finds everything free, and so does the first round's; the second's finds that, too, and is late.
        if (looks === 3) await look.promise;
        return listed;
      },
      create: (name, record) => leases.create(name, record),
      update: (observed, record) => leases.update(observed, record),
      delete: (observed) => leases.delete(observed),
    };
    const fences = whenAnswered(world.fences, () => attempt.promise);
    const a = world.replica('a', { fences, leases: late });
    await world.start(a, 'a');
    await world.pass(2, 'a');
    attempt.resolve(undefined);
    await world.pass(1, 'a');
    expect([looks, a.isLeader, world.sharesOf(a)]).toEqual([3, true, [4]]);
    look.resolve(undefined);
    await world.pass(3, 'a');
    expect([world.lost, a.isLeader, world.sharesOf(a)]).toEqual([[], true, [4]]);
    await a.stop();
  });

  it('is left to expire where its work cannot end', async () => {
    const world = new ElectedWorld();
    const a = world.replica('a');
    const unanswered = new AdapterError({ code: 'WriteUnanswered', message: 'a write', retryable: true });
    await world.start(a, 'a', { end: () => Promise.reject(unanswered) });
    await world.pass(3, 'a');
    const fence = a.of(shardScope(1));
    await a.stop();
    expect(world.fences.isInForce(fence)).toBe(true);
    expect((await world.leases.list()).find(({ name }) => name === 'plimsoll-shard-1')?.record.holder).toBe(
      'a',
    );
  });

  it('is given up again where its work cannot begin', async () => {
    const world = new ElectedWorld();
    const [a, b] = [world.replica('a'), world.replica('b')];
    const unreadable = new AdapterError({ code: 'ConnectionFailed', message: 'unreadable', retryable: true });
    await world.start(a, 'a', { begin: () => Promise.reject(unreadable) });
    await world.start(b, 'b');
    await world.pass(20, 'a', 'b');
    expect(world.logged).toContain('a scope could not be begun');
    expect(b.isLeader).toBe(true);
    await Promise.all([a.stop(), b.stop()]);
  });

  it('waits for a process that works without Leases, however long another Lease has expired', async () => {
    const [world, a] = await aWorldOf('a');
    // Killed: nothing is given up, and a process without Leases goes on once the fences have expired.
    await world.pass(16);
    const alone = world.withoutLeases('alone');
    const scopes = [administrationScope, sourceScope('policies'), ...[0, 1, 2, 3].map(shardScope)];
    await alone.acquire(scopes, () => world.lost.push('alone'), signal);
    const fence = alone.of(shardScope(1));
    const b = world.replica('b');
    await world.start(b, 'b');
    await world.pass(40, 'b', 'alone');
    expect([world.sharesOf(b), b.role, b.isLeader]).toEqual([[0], 'standby', false]);
    expect([world.fences.isInForce(fence), alone.mayWrite(shardScope(1))]).toEqual([true, true]);
    await alone.giveUp();
    await world.pass(3, 'b');
    expect([world.sharesOf(b), b.isLeader, world.lost]).toEqual([[4], true, []]);
    await Promise.all([a?.stop(), b.stop()]);
  });

  it('is waited for by a process that works without Leases, until its fences have expired', async () => {
    const [world, a] = await aWorldOf('a');
    const alone = world.withoutLeases('alone');
    const acquired = alone.acquire([shardScope(0)], () => world.lost.push('alone'), signal);
    await world.pass(30, 'a', 'alone');
    expect([alone.role, a?.mayWrite(shardScope(0)), world.lost]).toEqual(['standby', true, []]);
    await world.pass(16, 'alone');
    await acquired;
    expect([alone.role, a?.mayWrite(shardScope(0))]).toEqual(['active', false]);
    await world.pass(1, 'a');
    expect([world.lost, a?.role]).toEqual([['a'], 'fenced']);
    await Promise.all([a?.stop(), alone.giveUp()]);
  });

  it('is lost at the deadline where the rights to the Leases are withdrawn, which it says until then', async () => {
    const [world, a] = await aWorldOf('a');
    world.leases.failure = new AdapterError({ code: 'Forbidden', message: 'no rights', retryable: false });
    await world.pass(2, 'a');
    expect([world.lost, a?.leasesFailingSince]).toEqual([[], expect.any(String)]);
    await world.pass(9, 'a');
    expect(world.lost).toEqual(['a']);
    expect(
      world.logged.filter((line) => line === 'the Leases could not be looked at or renewed'),
    ).toHaveLength(1);
    await a?.stop();
  });

  it('is written for no longer than fences are sure to last, however long the Leases do', async () => {
    const world = new ElectedWorld({
      ...terms,
      leaseDurationMilliseconds: 90_000,
      renewDeadlineMilliseconds: 60_000,
    });
    const a = world.replica('a');
    await world.start(a, 'a');
    await world.pass(4, 'a');
    world.fences.renew = () =>
      Promise.reject(new AdapterError({ code: 'ConnectionFailed', message: 'away', retryable: true }));
    await world.pass(9, 'a');
    expect(a.mayWrite(shardScope(0))).toBe(true);
    await world.pass(2, 'a');
    expect([a.mayWrite(shardScope(0)), world.lost]).toEqual([false, []]);
    await a.stop();
  });

  it('is given up by all while the number of shards changes, and shared anew by the new number', async () => {
    const [world, a, b] = await aWorldOf('a', 'b');
    await world.pass(6, 'a', 'b');
    world.layout = { shardCount, isChanging: true };
    await world.pass(4, 'a', 'b');
    expect([world.sharesOf(a!, b!), a!.isLeader !== b!.isLeader]).toEqual([[0, 0], true]);
    await world.pass(20, 'a', 'b');
    expect(world.sharesOf(a!, b!)).toEqual([0, 0]);
    world.layout = { shardCount: 2, isChanging: false };
    await world.pass(8, 'a', 'b');
    expect([world.sharesOf(a!, b!), world.lost, world.resized]).toEqual([[1, 1], [], [4, 4, 2, 2]]);
    const [changing, changed] = [/number of shards is being changed/, /number of shards was changed/].map(
      (text) => world.logged.filter((line) => text.test(line)).length,
    );
    expect([changing, changed]).toEqual([2, 2]);
    const named = (await world.leases.list()).map(({ name }) => name);
    expect(named.filter((name) => name.includes('-shard-'))).toEqual([
      'plimsoll-shard-0',
      'plimsoll-shard-1',
    ]);
    await Promise.all([a?.stop(), b?.stop()]);
  });

  it('is given up again where the number of shards is another once the fence is taken', async () => {
    const world = new ElectedWorld();
    const a = world.replica('a');
    await world.start(a, 'a');
    // It was read at the start; whoever changes it now holds no shard any more.
    world.shards.readLayout = () => Promise.resolve({ shardCount: 3, isChanging: false });
    await world.pass(2, 'a');
    expect(world.began.filter((line) => line.includes('takes'))).toEqual(['a takes the leader']);
    await world.pass(6, 'a');
    expect([world.sharesOf(a), world.resized]).toEqual([[3], [4, 3]]);
    await a.stop();
  });

  it('is lost where its work cannot end and others are to have its shard, so that its Lease expires', async () => {
    const world = new ElectedWorld();
    const [a, b] = [world.replica('a'), world.replica('b')];
    const unanswered = new AdapterError({ code: 'WriteUnanswered', message: 'a write', retryable: true });
    await world.start(a, 'a', { end: () => Promise.reject(unanswered) });
    await world.pass(3, 'a');
    await world.start(b, 'b');
    await world.pass(6, 'a', 'b');
    expect(world.lost).toEqual(['a']);
    await a.stop();
    await world.pass(20, 'b');
    expect(world.sharesOf(b)).toEqual([4]);
    await b.stop();
  });

  it('is given up once the database takes that, where it did not at first', async () => {
    const [world, a] = await aWorldOf('a');
    const giveUp = world.fences.giveUp.bind(world.fences);
    world.fences.giveUp = () =>
      Promise.reject(new AdapterError({ code: 'ConnectionFailed', message: 'away', retryable: true }));
    const b = world.replica('b');
    await world.start(b, 'b');
    await world.pass(4, 'a', 'b');
    expect([world.sharesOf(a!, b), world.lost]).toEqual([[3, 0], []]);
    world.fences.giveUp = giveUp;
    await world.pass(8, 'a', 'b');
    expect([world.sharesOf(a!, b), world.lost]).toEqual([[2, 2], []]);
    await Promise.all([a?.stop(), b.stop()]);
  });

  it('is free for others at once, where a renewal was under way or not answered as it was given up', async () => {
    for (const isLost of [false, true]) {
      const [world, given, answered] = [
        new ElectedWorld(),
        Promise.withResolvers<undefined>(),
        Promise.withResolvers<undefined>(),
      ];
      let isLate = false;
      const leases = inTheWay(world.leases, async (write) => {
        const written = await write();
        if (isLate) await answered.promise;
        return written;
      });
      const giveUp: ElectionFences['giveUp'] = (held) => given.promise.then(() => world.fences.giveUp(held));
      const fences = { ...whenAnswered(world.fences, () => Promise.resolve()), giveUp };
      const [a, b] = [world.replica('a', { leases, fences }), world.replica('b')];
      await world.start(a, 'a');
      await world.pass(3, 'a');
      await world.start(b, 'b');
      await world.pass(3, 'a', 'b');
      isLate = true;
      await world.pass(2.5, 'a', 'b');
      isLate = false;
      if (isLost) {
        world.leases.failure = away;
        answered.reject(away);
        await world.pass(0.25, 'a', 'b');
        world.leases.failure = null;
      }
      given.resolve(undefined);
      await world.pass(0.25, 'a', 'b');
      answered.resolve(undefined);
      await world.pass(8, 'a', 'b');
      expect([isLost, world.sharesOf(a, b), world.lost]).toEqual([isLost, [2, 2], []]);
      await Promise.all([a.stop(), b.stop()]);
    }
  });

  it('is led by a process that starts anew where what leads could not begin, and nobody else leads', async () => {
    const [world, began] = [new ElectedWorld(), Promise.withResolvers<undefined>()];
    let hasEnded = false;
    const leader: ScopeWork = {
      begin: () => began.promise,
      end: () => Promise.resolve(void (hasEnded = true)),
      get hasEnded() {
        return hasEnded;
      },
    };
    const [a, b] = [world.replica('a'), world.replica('b')];
    await world.start(a, 'a', {}, leader);
    await world.pass(3, 'a');
    expect([a.isLeader, await a.leaderUrl(), a.holds(administrationScope)]).toEqual([false, null, true]);
    began.reject(away);
    await world.pass(3, 'a');
    await world.start(b, 'b');
    await world.pass(40, 'a', 'b');
    expect([b.isLeader, world.sharesOf(a, b), world.lost]).toEqual([true, [2, 2], []]);
    await b.stop();
    await world.pass(3, 'a');
    expect([world.lost, a.role]).toEqual([['a'], 'fenced']);
    await a.stop();
  });

  it('fails the start where the Leases cannot be read', async () => {
    const world = new ElectedWorld();
    world.leases.failure = new AdapterError({ code: 'Forbidden', message: 'no rights', retryable: false });
    await expect(world.start(world.replica('a'), 'a')).rejects.toMatchObject({ code: 'Forbidden' });
  });
});
