import { beforeEach, describe, expect, it } from '@jest/globals';
import type { ScopeHolder } from '#adapter-sql';
import { AdapterError } from '#kernel';
import type { KnownHolders, KnownReplica } from './leadership.ts';
import { ReplicaDirectory } from './replica-directory.ts';

const [before, now] = ['2026-11-24T01:00:00.000Z', '2026-11-24T02:00:00.000Z'];

const replica = (id: string, isThis = false): KnownReplica => ({
  id,
  url: `http://${id}:8080`,
  isThis,
  takesShards: isThis,
  version: '1.2.3',
  since: before,
  seenAt: now,
});

const stored: readonly ScopeHolder[] = [
  { scope: 'administration', holder: 'one', since: before, epoch: 3n },
  { scope: 'shard/0', holder: 'two', since: before, epoch: 4n },
  { scope: 'shard/1', holder: 'one', since: before, epoch: 5n },
];

const inLeases: KnownHolders = {
  holders: [
    { scope: 'administration', holder: 'one', since: before },
    { scope: 'shard/0', holder: 'two', since: before },
    { scope: 'shard/1', holder: null, since: null },
  ],
  asOf: '2026-11-24T01:59:58.000Z',
};

describe('ReplicaDirectory', () => {
  let list: () => Promise<readonly ScopeHolder[]>;
  let leases: KnownHolders | null;
  let isLate: boolean;

  const directory = (): ReplicaDirectory =>
    new ReplicaDirectory({
      leadership: {
        replicas: () => [replica('one', true), replica('two')],
        reason: null,
        leaseHolders: () => leases,
        isLeader: () => true,
      },
      holders: { list: () => list() },
      shards: {
        readLayout: () => Promise.resolve({ shardCount: 2, isChanging: false }),
        held: [{ scope: 'shard/1', epoch: 5n, holder: 'one' }],
        all: [0, 1],
      },
      clock: {
        now: () => now,
        schedule: (_milliseconds, run) => {
          if (isLate) setImmediate(run);
          return () => undefined;
        },
      },
    });

  beforeEach(() => {
    list = () => Promise.resolve(stored);
    leases = inLeases;
    isLate = false;
  });

  it('says what the database says, with what each replica says of itself', async () => {
    expect(await directory().listReplicas()).toEqual([
      {
        ...replica('one', true),
        isLeader: true,
        aloneBecause: null,
        shards: [1],
        knownFrom: 'Database',
        asOf: now,
      },
      {
        ...replica('two'),
        isLeader: false,
        aloneBecause: null,
        shards: [0],
        knownFrom: 'Database',
        asOf: now,
      },
    ]);
  });

  it('says of one that holds something, and is not known to live, nothing that it has not heard', async () => {
    const gone = { scope: 'shard/1', holder: 'gone', since: before, epoch: 6n };
    list = () => Promise.resolve([...stored.slice(0, 2), gone]);
    expect((await directory().listReplicas()).find(({ id }) => id === 'gone')).toEqual({
      ...{ id: 'gone', url: null, isThis: false, isLeader: false, aloneBecause: null },
      ...{ shards: [1], takesShards: null, version: null, since: null, seenAt: null },
      ...{ knownFrom: 'Database', asOf: now },
    });
  });

  it.each([
    {
      name: 'fails',
      read: () =>
        Promise.reject(new AdapterError({ code: 'ConnectionFailed', message: 'x', retryable: true })),
      isHanging: false,
    },
    { name: 'hangs', read: () => new Promise<never>(() => undefined), isHanging: true },
  ])('says what the Leases said, and when, while the database $name', async ({ read, isHanging }) => {
    list = read;
    isLate = isHanging;
    const { asOf } = inLeases;
    expect(await directory().listShards()).toEqual([
      {
        shard: 0,
        holder: 'two',
        url: 'http://two:8080',
        since: before,
        epoch: null,
        knownFrom: 'Leases',
        asOf,
      },
      { shard: 1, holder: null, url: null, since: null, epoch: '5', knownFrom: 'Leases', asOf },
    ]);
    const [one] = await directory().listReplicas();
    expect(one).toMatchObject({ id: 'one', isLeader: true, shards: [], knownFrom: 'Leases', asOf });
  });

  it('says what this process holds where there are no Leases either', async () => {
    list = () =>
      Promise.reject(new AdapterError({ code: 'ConnectionFailed', message: 'x', retryable: true }));
    leases = null;
    const [one] = await directory().listReplicas();
    expect(one).toMatchObject({ id: 'one', isLeader: true, shards: [1], knownFrom: 'Process', asOf: now });
  });

  it('hides no bug behind an outage', async () => {
    list = () => Promise.reject(new TypeError('a bug'));
    await expect(directory().listReplicas()).rejects.toThrow('a bug');
  });
});
