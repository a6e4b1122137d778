import type { EffectivePolicy } from '#policy';
import { metricSourcesOf } from '../metric-sources.ts';
import type { ShardsPort } from '../ports/shards.port.ts';

/** The policies in force that ask a source of metrics. */
export interface SourceTargets {
  readonly count: number;
  /** Those that they belong to. */
  readonly shards: ReadonlySet<number>;
}

export const noTargets: SourceTargets = { count: 0, shards: new Set() };

/** Counts the policies by the sources that they ask. */
export function countTargets(
  policies: readonly EffectivePolicy[],
  shards: Pick<ShardsPort, 'shardOf'>,
): ReadonlyMap<string, SourceTargets> {
  const bySource = new Map<string, { count: number; readonly shards: Set<number> }>();
  for (const policy of policies) {
    const shard = shards.shardOf(policy);
    for (const source of new Set(metricSourcesOf(policy))) {
      const targets = bySource.get(source) ?? { count: 0, shards: new Set() };
      bySource.set(source, targets);
      targets.count += 1;
      targets.shards.add(shard);
    }
  }
  return bySource;
}
