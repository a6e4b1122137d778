import type { EffectivePolicy } from '#policy';

/** Whether a policy has a metric that can be read without pods, so that it may scale from zero. */
export function hasObjectOrExternal({ metrics }: EffectivePolicy): boolean {
  return metrics.some(({ type }) => type === 'Object' || type === 'External');
}
