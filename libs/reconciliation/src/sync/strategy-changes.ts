import type { PolicyChangePayload, StrategyChangePayload } from '#ledger';
import type { JsonObject } from '#kernel';
import { type EffectivePolicy, readPolicy } from '#policy';

/**
 * What of a policy's change is a change of how it is carried out: actuation, algorithm, enabled. The selection is not
 * among them: what was requested before depends on the gate, and is known to the reconciler. A new or pruned policy
 * has no "before" or "after", so it changes nothing here.
 */
export function strategyChangesOf(change: PolicyChangePayload): readonly StrategyChangePayload[] {
  const before = effectiveOf(change.before);
  const after = effectiveOf(change.after);
  if (before === undefined || after === undefined) return [];
  const { policy, commit } = change;
  return strategyFields.flatMap(({ field, read }) =>
    read(before) === read(after) ? [] : [{ policy, field, before: read(before), after: read(after), commit }],
  );
}

interface StrategyField {
  readonly field: 'actuation' | 'algorithm' | 'enabled';
  readonly read: (policy: EffectivePolicy) => string;
}

const strategyFields: readonly StrategyField[] = [
  { field: 'actuation', read: ({ actuation }) => actuation },
  { field: 'algorithm', read: algorithmOf },
  { field: 'enabled', read: ({ enabled }) => String(enabled) },
];

/** `Utilization` or `absolute`, one a metric in the policy's order: what its maths is chosen by. */
function algorithmOf({ metrics, recommender }: EffectivePolicy): string {
  if (recommender !== undefined) return 'Recommender';
  return metrics
    .map(({ target }) => (target.type === 'Watermark' ? target.algorithm : target.type))
    .join(', ');
}

function effectiveOf(document: JsonObject | null): EffectivePolicy | undefined {
  return document === null ? undefined : readPolicy(document).policy;
}
