import type { Settings } from '#decision';
import type { EffectivePolicy } from '#policy';

/** How a policy says that it is carried out. */
export interface PolicyStrategy {
  /** As it is written, whatever the gate says. */
  readonly selectionStrategy: string;
  readonly actuation: string;
  /** One word a metric, in the policy's order, or one for all where they agree: `Utilization`, `average, Value`. */
  readonly algorithm: string;
  /** `true` or `false`. */
  readonly enabled: string;
}

/** The parts of a strategy. */
export const strategyFields = ['selectionStrategy', 'actuation', 'algorithm', 'enabled'] as const;

/** What of a policy is its strategy: all of it is text, as entries and events name it. */
export function strategyOf(policy: EffectivePolicy): PolicyStrategy {
  const { selectionStrategy, actuation, enabled } = policy;
  return { selectionStrategy, actuation, algorithm: algorithmOf(policy), enabled: String(enabled) };
}

/** What the policy asks for, the gate applied. */
export function requestedSelectionOf(
  { selectionStrategy }: EffectivePolicy,
  { featureGates }: Settings,
): EffectivePolicy['selectionStrategy'] {
  return featureGates.SelectionStrategy ? selectionStrategy : 'LabelSelector';
}

function algorithmOf({ metrics, recommender }: EffectivePolicy): string {
  if (recommender !== undefined) return 'Recommender';
  const words = metrics.map(({ target }) => (target.type === 'Watermark' ? target.algorithm : target.type));
  return (new Set(words).size === 1 ? words.slice(0, 1) : words).join(', ');
}
