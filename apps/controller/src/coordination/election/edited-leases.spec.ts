import { describe, expect, it } from '@jest/globals';
import type { LeaseRecord } from '#coordination';
import { AdapterError } from '#kernel';
import { shardScope } from '#ledger';
import { aWorldOf, ElectedWorld } from './testing/elected-world.ts';

const edited =
  'a Lease was edited or deleted, and names another holder than this process, which gives the scope up';

async function edit(
  world: ElectedWorld,
  name: string,
  change: Partial<Pick<LeaseRecord, 'holder' | 'durationMilliseconds' | 'advertisedUrl' | 'acquireTime'>>,
): Promise<void> {
  const lease = (await world.leases.list()).find((each) => each.name === name)!;
  await world.leases.update(lease, { ...lease.record, ...change });
}

/** Makes the Lease of a replica that takes no shards, and whose Leases last a minute. */
async function announce(world: ElectedWorld, identity: string): Promise<void> {
  const [other] = (await world.leases.list()).filter(({ name }) => name.startsWith('plimsoll-replica-'));
  const own = { holder: identity, durationMilliseconds: 60_000, takesShards: false, reachesDatabase: true };
  await world.leases.create(`plimsoll-replica-${identity}`, { ...other!.record, ...own });
}

/** What the lines about edited Leases name. */
function editsOf({ logged, logFields }: ElectedWorld): readonly object[] {
  return logFields.filter((_, index) => logged[index] === edited);
}

describe('a Lease whose holder is edited by hand', () => {
  it('is given up alone where it names somebody else, and taken once it has expired', async () => {
    const [world, a, b] = await aWorldOf('a', 'b');
    await world.pass(6, 'a', 'b');
    const shard = [0, 1, 2, 3].find((each) => a!.holds(shardScope(each)))!;
    const fence = a!.of(shardScope(shard));
    await edit(world, `plimsoll-shard-${shard}`, { holder: 'somebody' });
    await world.pass(2, 'a', 'b');
    expect(world.sharesOf(a!, b!)).toEqual([1, 2]);
    expect([world.fences.isInForce(fence), a!.mayWrite(fence.scope)]).toEqual([false, false]);
    expect(editsOf(world)).toEqual([
      { lease: `plimsoll-shard-${shard}`, holder: 'somebody', isReplica: false, seconds: 15 },
    ]);
    expect(world.began).toContain(`a leaves shard ${shard}`);
    await world.pass(12, 'a', 'b');
    expect(world.sharesOf(a!, b!)).toEqual([1, 2]);
    await world.pass(6, 'a', 'b');
    expect([world.sharesOf(a!, b!), world.lost, editsOf(world).length]).toEqual([[2, 2], [], 1]);
    await Promise.all([a?.stop(), b?.stop()]);
  });

  it('is taken anew at once where it names nobody', async () => {
    const [world, a, b] = await aWorldOf('a', 'b');
    await world.pass(6, 'a', 'b');
    const shard = [0, 1, 2, 3].find((each) => a!.holds(shardScope(each)))!;
    await edit(world, `plimsoll-shard-${shard}`, { holder: null });
    await world.pass(5, 'a', 'b');
    expect(editsOf(world)).toEqual([
      { lease: `plimsoll-shard-${shard}`, holder: null, isReplica: false, seconds: 0 },
    ]);
    expect([world.sharesOf(a!, b!), world.lost]).toEqual([[2, 2], []]);
    await Promise.all([a?.stop(), b?.stop()]);
  });

  it('is not believed to last longer than its own where it names nobody that announces itself', async () => {
    const [world, a, b] = await aWorldOf('a', 'b');
    await world.pass(6, 'a', 'b');
    const shard = [0, 1, 2, 3].find((each) => a!.holds(shardScope(each)))!;
    const name = `plimsoll-shard-${shard}`;
    await edit(world, name, { holder: 'somebody', durationMilliseconds: 2 ** 31 * 1_000 });
    await world.pass(12, 'a', 'b');
    expect(editsOf(world)).toEqual([{ lease: name, holder: 'somebody', isReplica: false, seconds: 15 }]);
    expect(world.sharesOf(a!, b!)).toEqual([1, 2]);
    await world.pass(8, 'a', 'b');
    expect([world.sharesOf(a!, b!), world.lost]).toEqual([[2, 2], []]);
    await Promise.all([a?.stop(), b?.stop()]);
  });

  it('is waited for no longer than its own where what it names has a Lease that nobody renews', async () => {
    const [world, a, b] = await aWorldOf('a', 'b');
    await world.pass(6, 'a', 'b');
    await announce(world, 'c');
    await world.pass(2, 'a', 'b');
    await edit(world, 'plimsoll-leader', { holder: 'c', durationMilliseconds: 60_000 });
    await world.pass(20, 'a', 'b');
    expect([a!, b!].some(({ isLeader }) => isLeader)).toBe(true);
    await Promise.all([a?.stop(), b?.stop()]);
  });

  it('is waited for as long as the replica that it names says of its own, and taken at once where it is deleted', async () => {
    const [world, a, b] = await aWorldOf('a', 'b');
    await world.pass(6, 'a', 'b');
    await announce(world, 'c');
    await world.pass(2, 'a', 'b');
    await edit(world, 'plimsoll-replica-c', {});
    await world.pass(2, 'a', 'b');
    const shard = [0, 1, 2, 3].find((each) => a!.holds(shardScope(each)))!;
    const name = `plimsoll-shard-${shard}`;
    await edit(world, name, { holder: 'c', durationMilliseconds: 2 ** 31 * 1_000 });
    await world.pass(30, 'a', 'b');
    expect(editsOf(world)).toEqual([{ lease: name, holder: 'c', isReplica: true, seconds: 60 }]);
    expect([a!, b!].some((each) => each.holds(shardScope(shard)))).toBe(false);
    await world.leases.delete((await world.leases.list()).find((each) => each.name === name)!);
    await world.pass(5, 'a', 'b');
    expect([[a!, b!].some((each) => each.holds(shardScope(shard))), world.lost]).toEqual([true, []]);
    await Promise.all([a?.stop(), b?.stop()]);
  });

  it('is given up where its work can record nothing more, which ends no other shard', async () => {
    const world = new ElectedWorld();
    const a = world.replica('a');
    const fenced = new AdapterError({ code: 'Fenced', message: 'taken over', retryable: false });
    await world.start(a, 'a', { end: () => Promise.reject(fenced) });
    await world.pass(3, 'a');
    await edit(world, 'plimsoll-shard-2', { holder: 'somebody' });
    await world.pass(3, 'a');
    expect([world.sharesOf(a), world.lost]).toEqual([[3], []]);
    await a.stop();
  });

  it('leads to another leader where it is the leader’s', async () => {
    const [world, a, b] = await aWorldOf('a', 'b');
    await world.pass(6, 'a', 'b');
    await edit(world, 'plimsoll-leader', { holder: 'somebody' });
    await world.pass(2, 'a', 'b');
    expect([a!.isLeader, await a!.leaderUrl(), world.sharesOf(a!, b!)]).toEqual([false, null, [2, 2]]);
    await world.pass(18, 'a', 'b');
    expect([a!.isLeader !== b!.isLeader, world.sharesOf(a!, b!), world.lost]).toEqual([true, [2, 2], []]);
    await Promise.all([a?.stop(), b?.stop()]);
  });

  it.each([
    { acquireTime: '2026-11-28T14:08:38.476000Z', want: '2026-11-28T14:08:38.476Z' },
    { acquireTime: 'long ago', want: null },
  ])('says since when a replica takes part as every other time is written: $acquireTime', async (given) => {
    const [world, a, b] = await aWorldOf('a', 'b');
    await world.pass(6, 'a', 'b');
    await edit(world, 'plimsoll-replica-b', { acquireTime: given.acquireTime });
    await world.pass(1, 'a');
    const seen = a!.replicas.find(({ identity }) => identity === 'b');
    expect(seen?.since).toBe(given.want);
    await Promise.all([a?.stop(), b?.stop()]);
  });

  it('does not say where the leader is reached: whoever edits it would be sent what callers sign in with', async () => {
    const [world, a, b] = await aWorldOf('a', 'b');
    await world.pass(6, 'a', 'b');
    await edit(world, 'plimsoll-leader', { advertisedUrl: 'http://attacker:8080' });
    await world.pass(1, 'b');
    expect([a!.isLeader, await b!.leaderUrl()]).toEqual([true, 'http://a:8080']);
    await Promise.all([a?.stop(), b?.stop()]);
  });

  it('is written again where it is the one that a replica announces itself by', async () => {
    const [world, a, b] = await aWorldOf('a', 'b');
    await world.pass(6, 'a', 'b');
    await edit(world, 'plimsoll-replica-a', { holder: 'somebody' });
    for (let second = 0; second < 20; second += 1) {
      await world.pass(1, 'a', 'b');
      expect(b!.replicas.map(({ identity }) => identity)).toEqual(['a', 'b']);
    }
    const own = (await world.leases.list()).find(({ name }) => name === 'plimsoll-replica-a');
    expect(own?.record).toMatchObject({ holder: 'a', transitions: 0 });
    await Promise.all([a?.stop(), b?.stop()]);
  });
});
