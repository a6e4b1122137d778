import { namespacedName } from '#kernel';
import { type EarlierReplicas, stepWindowSeconds } from '#ledger';
import type { EffectivePolicy } from '#policy';
import { type HoldInput, mayTakeFrom } from '#repository';
import { type Approvals, holdsOf } from '../holds/approvals.ts';
import type { SyncPorts } from '../setup/sync-ports.ts';

/** What a judgement compares the bounds of policies with that are new or differ: the others cannot shrink anything. */
export interface ReplicasQuery {
  readonly ports: Pick<SyncPorts, 'clock' | 'earlierReplicas' | 'presentReplicas'>;
  readonly approvals: Approvals;
  readonly changed: readonly EffectivePolicy[];
}

/**
 * Loads what the targets of changed policies run, and what those ran that a bound would take some of.
 *
 * @throws AdapterError where the ledger cannot be read
 */
export async function loadReplicas({
  ports,
  approvals,
  changed,
}: ReplicasQuery): Promise<Pick<HoldInput, 'earlierReplicas' | 'presentReplicas'>> {
  const present = changed.length === 0 ? new Map<string, number>() : await ports.presentReplicas(changed);
  const since = beginningOfSteps(approvals, ports.clock.now());
  const earlier = new Map<string, EarlierReplicas>();
  for (const policy of changed) {
    const { namespace, name } = policy;
    const replicas = present.get(namespacedName(policy));
    if (replicas === undefined || !mayTakeFrom(policy, replicas)) continue;
    const found = await ports.earlierReplicas({ policy: { namespace, name }, present: replicas, since });
    if (found !== null) earlier.set(namespacedName(policy), found);
  }
  return {
    presentReplicas: (policy) => present.get(namespacedName(policy)),
    earlierReplicas: (policy) => earlier.get(namespacedName(policy)),
  };
}

/** What is held for its steps does not come into force by waiting: they count from an hour before it was held. */
function beginningOfSteps(approvals: Approvals, now: string): string {
  const held = holdsOf(approvals).filter(({ causes }) =>
    causes.some(({ code }) => code === 'ScaleInByBound'),
  );
  const end = Math.min(Date.parse(now), ...held.map(({ since }) => Date.parse(since)));
  return new Date(end - stepWindowSeconds * 1_000).toISOString();
}
