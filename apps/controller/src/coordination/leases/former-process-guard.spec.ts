import { describe, expect, it } from '@jest/globals';
import { InMemoryLeases } from '#coordination/testing';
import { administrationScope, formerScope, shardScope } from '#ledger';
import { InMemoryFences } from '#ledger/testing';
import { FormerProcessGuard } from './former-process-guard.ts';

const elected = { holder: 'own', url: 'http://own:8080', expired: [] };

const heldLast = expect.stringContaining('held last by a process without a Lease');

const anAnnouncement = {
  holder: 'other',
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

/** A replica's guard, in a database whose former scope another holder has, if any. */
async function aGuard(former: string | null) {
  const fences = new InMemoryFences();
  if (former !== null) await fences.take([formerScope], former);
  const leases = new InMemoryLeases();
  await leases.create('plimsoll-replica-own', { ...anAnnouncement, holder: 'own' });
  const logged: string[] = [];
  const log = (_fields: object, message: string): void => void logged.push(message);
  const logger = { info: log, warn: log };
  const guard = new FormerProcessGuard({
    fences,
    leases,
    replicaPrefix: 'plimsoll-replica-',
    identity: 'own',
    logger,
  });
  const compete = async (scope: string): Promise<boolean> =>
    (await guard.takeElected(await guard.look([scope]), elected)).ok;
  return { fences, leases, logged, compete };
}

describe('a replica', () => {
  it('takes no shard while a process without Leases renews the scope of its release, and says so once', async () => {
    const { fences, logged, compete } = await aGuard('old');
    expect(await compete(shardScope(3))).toBe(false);
    expect(logged).toEqual([heldLast]);
    fences.advance(2);
    await fences.take([formerScope], 'old');
    fences.advance(1);
    expect(await compete(shardScope(12))).toBe(false);
    expect(logged).toHaveLength(1);
    fences.advance(1);
    const taken = await fences.take([formerScope], 'old');
    if (!taken.ok) throw new Error('not taken');
    expect(await compete(shardScope(12))).toBe(false);
    expect(logged).toEqual([
      heldLast,
      expect.stringContaining('a process without Leases carries policies out'),
    ]);
    await fences.giveUp(taken.value);
    expect(await compete(shardScope(3))).toBe(true);
    expect(logged).toHaveLength(3);
  });

  it('does not say that a process carries policies out that was killed, and waits for the leader to take over', async () => {
    const { fences, leases, logged, compete } = await aGuard('killed');
    for (let second = 0; second < 40; second += 1) {
      expect(await compete(shardScope(3))).toBe(false);
      fences.advance(1);
    }
    await leases.create('plimsoll-replica-other', anAnnouncement);
    await fences.take([formerScope], 'other');
    expect(await compete(shardScope(3))).toBe(true);
    expect(logged).toEqual([heldLast, 'no process without a Lease holds the ledger any more']);
  });

  it('does not say so where looks at two shards end in another order than they began', async () => {
    const { fences, leases, logged, compete } = await aGuard('killed');
    const answers: (() => void)[] = [];
    const list = leases.list.bind(leases);
    leases.list = async () => {
      await new Promise<void>((resolve) => answers.push(resolve));
      return list();
    };
    const first = compete(shardScope(3));
    await new Promise(setImmediate);
    fences.advance(1);
    const second = compete(shardScope(4));
    await new Promise(setImmediate);
    for (const answer of answers.reverse()) {
      answer();
      await new Promise(setImmediate);
    }
    expect([await first, await second, logged]).toEqual([false, false, [heldLast]]);
  });

  it('takes no replica whose Lease somebody deletes for a process without Leases', async () => {
    const { fences, leases, logged, compete } = await aGuard('other');
    const name = 'plimsoll-replica-other';
    const announced = await leases.create(name, anAnnouncement);
    expect(await compete(shardScope(3))).toBe(true);
    if (announced.kind === 'Written') await leases.delete(announced.lease);
    await fences.take([formerScope], 'other');
    expect([await compete(shardScope(4)), logged]).toEqual([true, []]);
  });

  it('blames nobody where its own Lease is deleted, too, and takes shards once it has seen one of the holder', async () => {
    const { fences, leases, logged, compete } = await aGuard('other');
    for (const lease of await leases.list()) await leases.delete(lease);
    fences.advance(2);
    expect(await compete(shardScope(3))).toBe(false);
    await leases.create('plimsoll-replica-own', { ...anAnnouncement, holder: 'own' });
    await fences.take([formerScope], 'other');
    expect(await compete(shardScope(3))).toBe(false);
    expect(logged).toEqual([heldLast, expect.stringContaining('Leases are being deleted')]);
    await leases.create('plimsoll-replica-other', anAnnouncement);
    expect(await compete(shardScope(3))).toBe(true);
  });

  it('takes what is no shard all the same: that fence is free, or not', async () => {
    const { compete } = await aGuard('old');
    expect(await compete(administrationScope)).toBe(true);
  });

  it.each([null, 'own', 'other'])('takes shards where the former scope is held by %s', async (holder) => {
    const { leases, logged, compete } = await aGuard(holder);
    await leases.create('plimsoll-replica-other', anAnnouncement);
    expect(await compete(shardScope(0))).toBe(true);
    expect(logged).toEqual([]);
  });
});
