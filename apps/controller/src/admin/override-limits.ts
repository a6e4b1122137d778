import { namespacedName } from '#kernel';
import type { ActivePolicy } from '#reconciliation';
import { QueryError } from './query-error.ts';

/** What an override puts in place of a policy's own; at least one of the three. */
export interface OverriddenCounts {
  readonly minReplicas?: number | null | undefined;
  readonly maxReplicas?: number | null | undefined;
  readonly replicas?: number | null | undefined;
}

/** @throws QueryError `BadBounds` where the decision would have to bend what is asked for. */
export function checkBounds({ policy }: ActivePolicy, counts: OverriddenCounts): void {
  const [min, max] = [counts.minReplicas ?? policy.minReplicas, counts.maxReplicas ?? policy.maxReplicas];
  const isToZero = policy.minReplicas === 0 && policy.family === 'hpa';
  const pin = counts.replicas ?? min;
  const isNamed = [counts.minReplicas, counts.maxReplicas, counts.replicas].some(
    (count) => count !== null && count !== undefined,
  );
  const problems: readonly (readonly [boolean, string])[] = [
    [!isNamed, 'it names no count'],
    [min < (isToZero ? 0 : 1), `a minimum of ${min} is less than the policy may have`],
    [max < 1, `a maximum of ${max} is less than 1`],
    [min > max, `at least ${min} and at most ${max} is no range`],
    [pin < min || pin > max, `${pin} is outside of ${min} to ${max}; override the bound, too`],
  ];
  const problem = problems.find(([isProblem]) => isProblem);
  if (problem !== undefined) throw new QueryError('BadBounds', `the override: ${problem[1]}`);
}

/**
 * How low an override lets the target fall where that is below half of its present count; null: not so low. What is not
 * known of the present count does not make the bar lower.
 */
export function lowCountOf(
  { policy }: ActivePolicy,
  counts: OverriddenCounts,
  present: number | null,
): number | null {
  const { lowest, before } = lowestOf(policy, counts);
  if (lowest >= before || (present !== null && lowest * 2 >= present)) return null;
  return lowest;
}

/** For people: the policy, and what is written of it. */
export function describeCounts({ policy }: ActivePolicy, counts: OverriddenCounts): string {
  const { minReplicas = null, maxReplicas = null, replicas = null } = counts;
  const parts = [
    replicas === null ? '' : `${replicas} replicas`,
    minReplicas === null ? '' : `at least ${minReplicas}`,
    maxReplicas === null ? '' : `at most ${maxReplicas}`,
  ].filter((part) => part !== '');
  return `${namespacedName(policy)}: ${parts.join(', ')}`;
}

/** How low a policy may go with the override and without it. */
function lowestOf(
  { minReplicas, maxReplicas }: ActivePolicy['policy'],
  counts: OverriddenCounts,
): { readonly lowest: number; readonly before: number } {
  const pin = counts.replicas ?? null;
  if (pin !== null) return { lowest: pin, before: Number.POSITIVE_INFINITY };
  const max = counts.maxReplicas ?? maxReplicas;
  if (max < maxReplicas) return { lowest: max, before: Number.POSITIVE_INFINITY };
  return { lowest: counts.minReplicas ?? minReplicas, before: minReplicas };
}
