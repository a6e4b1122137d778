import { describe, expect, it } from '@jest/globals';
import { defaultShardCount, shardOf } from './shard-of.ts';

describe('shardOf', () => {
  it('never changes between releases: a policy would be decided by two processes', () => {
    const shards = ['checkout', 'web-1', 'web-2', 'billing'].map((name) =>
      shardOf({ namespace: 'shop', name }, defaultShardCount),
    );
    expect(shards).toEqual([3, 3, 9, 13]);
  });

  it.each([1, 3, 16, 256])('spreads the policies evenly over %i shards', (count) => {
    const sizes = Array.from({ length: count }, () => 0);
    for (let index = 0; index < 200 * count; index += 1) {
      const shard = shardOf({ namespace: `team-${index % 40}`, name: `web-${index}` }, count);
      sizes[shard] = (sizes[shard] ?? Number.NaN) + 1;
    }
    expect(Math.min(...sizes)).toBeGreaterThan(140);
    expect(Math.max(...sizes)).toBeLessThan(260);
    expect(sizes).toHaveLength(count);
  });
});
