import { describe, expect, it } from '@jest/globals';
import { hasLookedAtAll, lossWaitOf, type ShardLook } from './loss-wait.ts';

const now = 1_000_000;
const steady: ShardLook = { lookedMilliseconds: 600_000, silentMilliseconds: 2_500 };

interface Row {
  readonly name: string;
  /** How long ago the loss was first seen. */
  readonly age: number;
  readonly intervalSeconds?: number;
  /** Of other policies of the source. */
  readonly otherSeconds?: number;
  /** What is known of them, by shard. */
  readonly looks?: readonly (readonly ShardLook[])[];
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
    name: 'is written by the third pass where all have looked',
    age: 30_000,
    looks: [[steady], [{ ...steady, silentMilliseconds: 0 }]],
    want: null,
  },
  {
    name: 'waits for policies of longer intervals',
    age: 62_999,
    otherSeconds: 60,
    looks: [[steady]],
    want: unseen,
  },
  {
    name: 'waits for shards of which nothing is known, in order',
    age: 30_000,
    looks: [[steady], [], [steady], []],
    want: { kind: 'ShardsUnseen', shards: [1, 3] },
  },
  {
    name: 'waits for a count that was stored before its holder can have looked at its targets',
    age: 30_000,
    looks: [[{ ...steady, silentMilliseconds: 12_001 }]],
    want: { kind: 'ShardsUnseen', shards: [0] },
  },
  {
    name: 'is written where it was stored when its holder had looked at them',
    age: 30_000,
    looks: [[{ ...steady, silentMilliseconds: 12_000 }]],
    want: null,
  },
  {
    name: 'waits for a new holder that has just begun to look',
    age: 45_000,
    looks: [[{ lookedMilliseconds: 17_999, silentMilliseconds: 0 }]],
    want: { kind: 'ShardsUnseen', shards: [0] },
  },
  {
    name: 'is written where a new holder has looked',
    age: 45_000,
    looks: [[{ lookedMilliseconds: 18_000, silentMilliseconds: 2_500 }]],
    want: null,
  },
  {
    name: 'does not add up the looks of two holders of a shard',
    age: 45_000,
    looks: [
      [
        { lookedMilliseconds: 600_000, silentMilliseconds: 27_001 },
        { lookedMilliseconds: 17_999, silentMilliseconds: 0 },
      ],
    ],
    want: { kind: 'ShardsUnseen', shards: [0] },
  },
  {
    name: 'is written where the last holder had looked',
    age: 45_000,
    looks: [
      [
        { lookedMilliseconds: 600_000, silentMilliseconds: 27_000 },
        { lookedMilliseconds: 0, silentMilliseconds: 0 },
      ],
    ],
    want: null,
  },
  {
    name: 'waits for a take-over',
    age: 77_999,
    looks: [[]],
    want: { kind: 'ShardsUnseen', shards: [0] },
  },
  { name: 'waits no longer for what nobody tells', age: 78_000, looks: [[]], want: null },
];

const waitOf = (
  { age, intervalSeconds = 15, otherSeconds = intervalSeconds, looks = [] }: Row,
  replicas: Parameters<typeof lossWaitOf>[1],
): ReturnType<typeof lossWaitOf> => {
  const targets = {
    shards: new Set(looks.keys()),
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
      takeOverMilliseconds: 60_000,
      looksAt: (shard: number) => row.looks?.[shard] ?? [],
    };
    expect(waitOf({ ...row, want }, replicas)).toEqual(want);
  });
});

describe('the holder of a shard', () => {
  it.each([
    { longest: 15, lookedMilliseconds: 17_999, want: false },
    { longest: 15, lookedMilliseconds: 18_000, want: true },
    { longest: 600, lookedMilliseconds: 62_999, want: false },
    { longest: 600, lookedMilliseconds: 63_000, want: true },
  ])(
    'has looked at all targets of $longest s after $lookedMilliseconds ms: $want',
    ({ longest, want, lookedMilliseconds }) => {
      const targets = {
        shards: new Set([0]),
        shortestIntervalSeconds: 15,
        longestIntervalSeconds: longest,
      };
      expect(hasLookedAtAll({ lookedMilliseconds }, targets)).toBe(want);
    },
  );
});
