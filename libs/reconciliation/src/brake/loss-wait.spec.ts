import { describe, expect, it } from '@jest/globals';
import { lossWaitOf, type SeenHolder } from './loss-wait.ts';

const now = 1_000_000;
const steady: SeenHolder = { heldMilliseconds: 600_000, silentMilliseconds: 2_500 };

interface Row {
  readonly name: string;
  /** How long ago the loss was first seen. */
  readonly age: number;
  readonly intervalSeconds?: number;
  /** By shard. */
  readonly holders?: readonly (SeenHolder | null)[];
  readonly want: ReturnType<typeof lossWaitOf>;
}

const rows: readonly Row[] = [
  { name: 'waits half of the interval', age: 14_999, intervalSeconds: 30, want: { kind: 'TargetsUnseen' } },
  { name: 'is written after half of the interval', age: 15_000, intervalSeconds: 30, want: null },
];

const amongReplicas: readonly Row[] = [
  { name: 'waits until others are known', age: 2_999, intervalSeconds: 1, want: { kind: 'TargetsUnseen' } },
  {
    name: 'is written by the second pass where all holders live',
    age: 15_000,
    holders: [steady, { ...steady, silentMilliseconds: 0 }],
    want: null,
  },
  {
    name: 'waits for shards that none holds, in order',
    age: 15_000,
    holders: [steady, null, steady, null],
    want: { kind: 'ShardsUnseen', shards: [1, 3] },
  },
  {
    name: 'waits for a holder that was silent before it can have looked at its targets',
    age: 15_000,
    holders: [{ ...steady, silentMilliseconds: 7_501 }],
    want: { kind: 'ShardsUnseen', shards: [0] },
  },
  {
    name: 'is written where a holder has lived for long enough to look at its targets',
    age: 15_000,
    holders: [{ ...steady, silentMilliseconds: 7_500 }],
    want: null,
  },
  {
    name: 'waits for a new holder that has just begun to look',
    age: 30_000,
    holders: [{ heldMilliseconds: 7_499, silentMilliseconds: 0 }],
    want: { kind: 'ShardsUnseen', shards: [0] },
  },
  {
    name: 'is written where a new holder has looked',
    age: 30_000,
    holders: [{ heldMilliseconds: 10_000, silentMilliseconds: 2_500 }],
    want: null,
  },
  {
    name: 'waits for a take-over',
    age: 67_499,
    holders: [null],
    want: { kind: 'ShardsUnseen', shards: [0] },
  },
  { name: 'waits no longer for what none can take', age: 67_500, holders: [null], want: null },
];

const waitOf = (
  { age, intervalSeconds = 15, holders = [] }: Row,
  replicas: Parameters<typeof lossWaitOf>[1],
): ReturnType<typeof lossWaitOf> =>
  lossWaitOf({ since: now - age, now, intervalSeconds, shards: holders.keys() }, replicas);

describe('a large loss in one process', () => {
  it.each(rows)('$name', ({ want, ...row }) => {
    expect(waitOf({ ...row, want }, undefined)).toEqual(want);
  });
});

describe('a large loss of one of several replicas', () => {
  it.each(amongReplicas)('$name', ({ want, ...row }) => {
    const replicas = {
      isLeader: () => false,
      confirmationMilliseconds: 3_000,
      takeOverMilliseconds: 60_000,
      shardHolder: (shard: number) => row.holders?.[shard] ?? null,
    };
    expect(waitOf({ ...row, want }, replicas)).toEqual(want);
  });
});
