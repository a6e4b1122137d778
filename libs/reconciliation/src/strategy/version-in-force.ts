import type { ActivePolicy, CommitReference } from '../model/active-policy.ts';
import { type PolicyStrategy, strategyFields, strategyOf } from './policy-strategy.ts';

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
