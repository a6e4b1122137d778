import type { Settings } from '#decision';
import type { EffectivePolicy } from '#policy';
import type { ActivePolicy, CommitReference } from '../policies/active-policy.ts';

/** How a policy says that it is carried out. */
export interface PolicyStrategy {
  /** As it is written, whatever the gate says. */
  readonly selectionStrategy: string;
  readonly actuation: string;
  /** One word per metric, in the policy's order, or one for all where they agree: `Utilization`, `average, Value`. */
  readonly algorithm: string;
  /** `true` or `false`. */
  readonly enabled: string;
}

/** The parts of a strategy. */
const strategyFields = ['selectionStrategy', 'actuation', 'algorithm', 'enabled'] as const;

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

/** A version of a policy, and the commit that brought each part of its strategy. */
export interface VersionInForce {
  readonly active: ActivePolicy;
  readonly strategyCommits: Readonly<Record<keyof PolicyStrategy, CommitReference>>;
}

/** The first version that this process sees: what brought it stands for all of it. */
export function firstVersion(active: ActivePolicy): VersionInForce {
  const { commit } = active.origin;
  const strategyCommits = {
    selectionStrategy: commit,
    actuation: commit,
    algorithm: commit,
    enabled: commit,
  };
  return { active, strategyCommits };
}

/**
 * The version that follows. A part of the strategy that it leaves alone keeps the commit that brought it, so that a
 * change which no pass could record yet is not put down to a later commit; where none differs, the commits are the
 * same object.
 */
export function nextVersion(
  { active: before, strategyCommits }: VersionInForce,
  active: ActivePolicy,
): VersionInForce {
  if (active.policy === before.policy) return { active, strategyCommits };
  const was = strategyOf(before.policy);
  const is = strategyOf(active.policy);
  const changed = strategyFields.filter((field) => was[field] !== is[field]);
  if (changed.length === 0) return { active, strategyCommits };
  const { commit } = active.origin;
  const commits = Object.fromEntries(changed.map((field) => [field, commit]));
  return { active, strategyCommits: { ...strategyCommits, ...commits } };
}

function algorithmOf({ metrics, recommender }: EffectivePolicy): string {
  if (recommender !== undefined) return 'Recommender';
  const words = metrics.map(({ target }) => (target.type === 'Watermark' ? target.algorithm : target.type));
  const [only] = words;
  if (only !== undefined && words.length === 1) return only;
  return (new Set(words).size === 1 ? words.slice(0, 1) : words).join(', ');
}
