import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  type LeasePort,
  type LeaseRecord,
  observeLease,
  openElection,
  planAttempt,
  type StoredLease,
} from '#coordination';

/** A place for Leases. */
export interface LeaseWorld {
  readonly leases: LeasePort;
  readonly stop: () => Promise<void>;
}

const record: LeaseRecord = {
  holder: 'a',
  durationMilliseconds: 1_500,
  acquireTime: '2026-11-23T02:00:00.000000Z',
  renewTime: '2026-11-23T02:00:01.500000Z',
  transitions: 3,
  advertisedUrl: 'http://10.0.0.7:8080',
  takesShards: false,
  reachesDatabase: false,
  version: '1.2.3',
  settings: 'mode=1',
};

/** What every implementation of `LeasePort` does. */
export function describeLeases(name: string, open: () => Promise<LeaseWorld>): void {
  describe(name, () => {
    let world: LeaseWorld;
    let leases: LeasePort;

    beforeAll(async () => {
      world = await open();
      ({ leases } = world);
    });

    afterAll(() => world.stop());

    const written = async (lease: string, given: LeaseRecord = record): Promise<StoredLease> => {
      const write = await leases.create(lease, given);
      if (write.kind !== 'Written') throw new Error(`${lease} is there already`);
      return write.lease;
    };

    const namesOf = async (): Promise<readonly string[]> =>
      (await leases.list()).map(({ name: each }) => each);

    it('keeps all that a record says', async () => {
      const lease = await written('plimsoll-shard-0');
      expect(lease).toMatchObject({ name: 'plimsoll-shard-0', record });
      expect(await leases.list()).toEqual([lease]);
    });

    it('creates a Lease once', async () => {
      await written('plimsoll-shard-1');
      expect(await leases.create('plimsoll-shard-1', { ...record, holder: 'b' })).toEqual({
        kind: 'Conflict',
      });
      expect(await namesOf()).toEqual(['plimsoll-shard-0', 'plimsoll-shard-1']);
    });

    it('asks nothing once it is not wanted any more', async () => {
      const ended = AbortSignal.abort(new Error('the controller is ending'));
      const seen = await written('plimsoll-shard-9');
      await expect(leases.list(ended)).rejects.toThrow('ending');
      await expect(leases.create('plimsoll-shard-8', record, ended)).rejects.toThrow('ending');
      await expect(leases.update(seen, { ...record, holder: 'b' }, ended)).rejects.toThrow('ending');
      expect(await leases.list()).toContainEqual(seen);
      expect(await namesOf()).not.toContain('plimsoll-shard-8');
      await leases.delete(seen);
    });

    it('lets one of two writers win that have read the same version', async () => {
      const seen = await written('plimsoll-shard-2');
      const writes = await Promise.all(
        ['b', 'c'].map((holder) => leases.update(seen, { ...record, holder, transitions: 4 })),
      );
      expect(writes.map(({ kind }) => kind).sort()).toEqual(['Conflict', 'Written']);
      const now = (await leases.list()).find(({ name: each }) => each === 'plimsoll-shard-2');
      expect(now?.resourceVersion).not.toBe(seen.resourceVersion);
      expect(writes).toContainEqual({ kind: 'Written', lease: now });
    });

    it('changes the version with each renewal, though a holder renews often', async () => {
      const first = await written('plimsoll-shard-3');
      const renewed = await leases.update(first, { ...record, renewTime: '2026-11-23T02:00:01.501000Z' });
      expect(renewed).toMatchObject({ kind: 'Written', lease: { name: 'plimsoll-shard-3' } });
      expect(renewed.kind === 'Written' && renewed.lease.resourceVersion).not.toBe(first.resourceVersion);
    });

    it('keeps that a Lease was released', async () => {
      const first = await written('plimsoll-shard-4');
      const released = await leases.update(first, { ...record, holder: null, advertisedUrl: null });
      expect(released).toMatchObject({ lease: { record: { holder: null, advertisedUrl: null } } });
    });

    it('keeps the most transitions that there may be, and begins anew after them', async () => {
      const most = await written('plimsoll-shard-5', { ...record, transitions: 2_147_483_647 });
      expect(most.record.transitions).toBe(2_147_483_647);
      const election = observeLease(openElection(most.name, 'b'), most, 0);
      const terms = {
        leaseDurationMilliseconds: 1,
        renewDeadlineMilliseconds: 1,
        retryPeriodMilliseconds: 1,
      };
      const moment = { now: 15_000, time: record.renewTime ?? '', terms, advertisedUrl: null };
      const attempt = planAttempt(election, moment);
      expect(await leases.update(most, attempt!.record)).toMatchObject({
        kind: 'Written',
        lease: { record: { holder: 'b', transitions: 0 } },
      });
    });

    it('deletes the version that was read only, and takes a Lease that is gone for deleted', async () => {
      const first = await written('plimsoll-replica-a');
      const second = await leases.update(first, { ...record, renewTime: '2026-11-23T02:00:09.000000Z' });
      await leases.delete(first);
      expect(await namesOf()).toContain('plimsoll-replica-a');
      if (second.kind !== 'Written') throw new Error('not renewed');
      await leases.delete(second.lease);
      await leases.delete(second.lease);
      expect(await namesOf()).not.toContain('plimsoll-replica-a');
      expect(await leases.update(second.lease, record)).toEqual({ kind: 'Conflict' });
    });

    it('rehearses every write, whether there is a Lease or not, and stores nothing', async () => {
      const before = await leases.list();
      for (const name of ['plimsoll-trial', 'plimsoll-shard-0'])
        for (const verb of ['create', 'update', 'delete'] as const) await leases.rehearse(verb, name);
      expect(await leases.list()).toEqual(before);
    });
  });
}
