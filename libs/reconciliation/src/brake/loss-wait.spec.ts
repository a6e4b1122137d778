import { describe, expect, it } from '@jest/globals';
import { lossWaitOf, type SeenHolder } from './loss-wait.ts';

const now = 1_000_000;
const steady: SeenHolder = { heldMilliseconds: 600_000, silentMilliseconds: 2_500 };

interface Row {
  readonly name: string;
  /** How long ago the loss was first seen. */
  readonly age: number;
  readonly intervalSeconds?: number;
  /** Of other policies of the source. */
  readonly otherSeconds?: number;
  /** By shard. */
  readonly holders?: readonly (SeenHolder | null)[];
  readonly want: ReturnType<typeof lossWaitOf>;
}

const unseen = { kind: 'TargetsUnseen' } as const;

const rows: readonly Row[] = [
  { name: 'waits half of the interval', age: 14_999, intervalSeconds: 30, want: unseen },
  { name: 'is written after half of the interval', age: 15_000, intervalSeconds: 30, want: null },
  { name: 'waits for longer intervals', age: 17_999, intervalSeconds: 5, otherSeconds: 15, want: unseen },
  { name: 'is written after the longer one', age: 18_000, intervalSeconds: 5, otherSeconds: 15, want: null },
  { name: 'waits for shorter intervals', age: 17_999, intervalSeconds: 15, otherSeconds: 5, want: unseen },
  {
    name: 'waits a minute for longer ones',
    age: 62_999,
    intervalSeconds: 5,
    otherSeconds: 600,
    want: unseen,
  },
  { name: 'waits no more than that', age: 63_000, intervalSeconds: 5, otherSeconds: 600, want: null },
  { name: 'waits its own long one', age: 122_999, intervalSeconds: 120, otherSeconds: 600, want: unseen },
];

const amongReplicas: readonly Row[] = [
  { name: 'waits an interval, and until others are known', age: 17_999, want: unseen },
  {
    name: 'is written by the third pass where all holders live',
    age: 30_000,
    holders: [steady, { ...steady, silentMilliseconds: 0 }],
    want: null,
  },
  {
    name: 'waits for policies of longer intervals',
    age: 62_999,
    otherSeconds: 60,
    holders: [steady],
    want: unseen,
  },
  {
    name: 'waits for shards that none holds, in order',
    age: 30_000,
    holders: [steady, null, steady, null],
    want: { kind: 'ShardsUnseen', shards: [1, 3] },
  },
  {
    name: 'waits for a holder that was silent before it can have looked at its targets',
    age: 30_000,
    holders: [{ ...steady, silentMilliseconds: 12_001 }],
    want: { kind: 'ShardsUnseen', shards: [0] },
  },
  {
    name: 'is written where a holder has lived for long enough to look at its targets',
    age: 30_000,
    holders: [{ ...steady, silentMilliseconds: 12_000 }],
    want: null,
  },
  {
    name: 'waits for a new holder that has just begun to look',
    age: 45_000,
    holders: [{ heldMilliseconds: 17_999, silentMilliseconds: 0 }],
    want: { kind: 'ShardsUnseen', shards: [0] },
  },
  {
    name: 'is written where a new holder has looked',
    age: 45_000,
    holders: [{ heldMilliseconds: 20_500, silentMilliseconds: 2_500 }],
    want: null,
  },
  {
    name: 'waits for a take-over',
    age: 77_999,
    holders: [null],
    want: { kind: 'ShardsUnseen', shards: [0] },
  },
  { name: 'waits no longer for what none can take', age: 78_000, holders: [null], want: null },
];

const waitOf = (
  { age, intervalSeconds = 15, otherSeconds = intervalSeconds, holders = [] }: Row,
  replicas: Parameters<typeof lossWaitOf>[1],
): ReturnType<typeof lossWaitOf> => {
  const targets = {
    shards: new Set(holders.keys()),
    shortestIntervalSeconds: Math.min(intervalSeconds, otherSeconds),
    longestIntervalSeconds: Math.max(intervalSeconds, otherSeconds),
  };
  return lossWaitOf({ since: now - age, now, intervalSeconds, targets }, replicas);
};

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
