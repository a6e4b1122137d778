import { describe, expect, it } from '@jest/globals';
import { allCountRules, type CountRules, exploreShardCount } from './shard-count-model.ts';

/** Every interleaving of two replicas and a change of the number of shards (ADR 16). */
describe('a change of the number of shards', () => {
  it('leaves a policy to one replica at a time, and never for good to none', () => {
    const { states, violation } = exploreShardCount(allCountRules);
    expect(violation).toBeNull();
    expect(states).toBeGreaterThan(1_000);
  });

  it.each<keyof CountRules>(['readUnderFence', 'bothNumbers', 'fencedStore'])(
    'shows what goes wrong without the rule %s',
    (rule) => {
      const { violation } = exploreShardCount({ ...allCountRules, [rule]: false });
      expect(violation?.[0]).toBe('two replicas record entries of one policy');
    },
  );
});
