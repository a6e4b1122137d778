import { describe, expect, it } from '@jest/globals';
import { evenShare, openPlaces, surplusShard } from './even-share.ts';
import { mayWrite } from './write-right.ts';

describe('the even share', () => {
  it.each([
    { shardCount: 16, replicas: 1, share: 16 },
    { shardCount: 16, replicas: 3, share: 6 },
    { shardCount: 16, replicas: 0, share: 16 },
    { shardCount: 2, replicas: 5, share: 1 },
  ])('is $share of $shardCount shards for $replicas replicas', ({ shardCount, replicas, share }) => {
    expect(evenShare(shardCount, replicas)).toBe(share);
  });

  it('hands the newest shard over, and never more than the surplus', () => {
    const distribution = { shardCount: 4, replicas: 2 };
    expect(surplusShard({ ...distribution, held: [3, 0, 1] })).toBe(1);
    expect(surplusShard({ ...distribution, held: [3, 0] })).toBeNull();
    expect(openPlaces({ ...distribution, held: [3] })).toBe(1);
    expect(openPlaces({ ...distribution, held: [3, 0, 1] })).toBe(0);
  });
});

describe('the right to write', () => {
  const terms = { leaseDurationMilliseconds: 15, renewDeadlineMilliseconds: 10, retryPeriodMilliseconds: 2 };

  it.each([
    { lease: 100, fence: 100, now: 109, right: true },
    { lease: 100, fence: 105, now: 110, right: false },
    { lease: 105, fence: 100, now: 110, right: false },
    { lease: null, fence: 100, now: 109, right: true },
    { lease: null, fence: 100, now: 110, right: false },
  ])('of a Lease of $lease and a fence of $fence is $right at $now', ({ lease, fence, now, right }) => {
    expect(mayWrite({ lease, fence }, now, terms)).toBe(right);
  });
});
