import { namespacedName } from '#kernel';
import type { EffectivePolicy } from '#policy';
import { targetKey } from '#repository';
import type { ActivePolicySet } from '../in-force/active-policy-set.ts';

/** What a test says about the cluster, by `shop/checkout`. */
export interface KnownReplicas {
  readonly active: ActivePolicySet;
  /** Of other targets in force they are unknown, and the targets of other new policies do not exist yet. */
  readonly replicas: ReadonlyMap<string, number>;
  /** New policies whose target cannot be read. */
  readonly unreadable?: ReadonlySet<string>;
}

/** Replicas of the policies' targets, as a sync asks for them. */
export function replicasNow(
  policies: readonly EffectivePolicy[],
  { active, replicas, unreadable }: KnownReplicas,
): ReadonlyMap<string, number> {
  const governed = new Set(active.listActivePolicies().map(({ policy }) => targetKey(policy)));
  const found = new Map(replicas);
  for (const policy of policies) {
    const name = namespacedName(policy);
    const isMissing = !governed.has(targetKey(policy)) && unreadable?.has(name) !== true;
    if (isMissing && !found.has(name)) found.set(name, 0);
  }
  return found;
}
