import type { EffectivePolicy } from '#policy';
import { metricSourcesOf } from './metric-sources.ts';

/** The metric sources that a pass over a policy waits for, in one text: equal where they are the same ones. */
export function awaitedSources(policy: Pick<EffectivePolicy, 'metrics' | 'recommender'>): string {
  return [...new Set(metricSourcesOf(policy))].toSorted().join(' ');
}
