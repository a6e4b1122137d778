import type { EffectivePolicy } from '#policy';
import { metricSourcesOf } from '../policies/metric-sources.ts';
import type { ShardsPort } from '../ports/shards.port.ts';

/** The policies in force that ask a source of metrics. */
export interface SourceTargets {
  readonly count: number;
  /** Those that they belong to. */
  readonly shards: ReadonlySet<number>;
  readonly shortestIntervalSeconds: number;
  readonly longestIntervalSeconds: number;
}

const none = { count: 0, shortestIntervalSeconds: Infinity, longestIntervalSeconds: 0 };

export const noTargets: SourceTargets = { ...none, shards: new Set() };

/** Counts the policies by the sources that they ask. */
export function countTargets(
  policies: readonly EffectivePolicy[],
  shards: Pick<ShardsPort, 'shardOf'>,
): ReadonlyMap<string, SourceTargets> {
  const bySource = new Map<string, typeof none & { readonly shards: Set<number> }>();
  for (const policy of policies) {
    const shard = shards.shardOf(policy);
    for (const source of new Set(metricSourcesOf(policy))) {
      const targets = bySource.get(source) ?? { ...none, shards: new Set() };
      bySource.set(source, targets);
      targets.count += 1;
      targets.shortestIntervalSeconds = Math.min(targets.shortestIntervalSeconds, policy.intervalSeconds);
      targets.longestIntervalSeconds = Math.max(targets.longestIntervalSeconds, policy.intervalSeconds);
      targets.shards.add(shard);
    }
  }
  return bySource;
}
