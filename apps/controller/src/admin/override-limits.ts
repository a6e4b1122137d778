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

/** Between which counts a policy is now, with its windows and interventions applied. */
export interface BoundsInForce {
  readonly minReplicas: number;
  readonly maxReplicas: number;
}

/**
 * How low an override lets the target fall where that is below half of its present count; null: not so low. What is not
 * known of the present count does not make the bar lower, and neither does a document whose bounds a window or another
 * override has raised: the override replaces those, too.
 */
export function lowCountOf(
  { policy }: ActivePolicy,
  counts: OverriddenCounts,
  { inForce, present }: { readonly inForce: BoundsInForce; readonly present: number | null },
): number | null {
  const floor = Math.max(policy.minReplicas, inForce.minReplicas);
  const ceiling = Math.max(policy.maxReplicas, inForce.maxReplicas);
  const { minReplicas: min, maxReplicas: max } = counts;
  const lowered = [counts.replicas, isLess(max, ceiling) ? max : null, isLess(min, floor) ? min : null];
  const lowest = Math.min(...lowered.map((count) => count ?? Number.POSITIVE_INFINITY));
  return Number.isFinite(lowest) && (present === null || lowest * 2 < present) ? lowest : null;
}

function isLess(count: number | null | undefined, bound: number): boolean {
  return count !== null && count !== undefined && count < bound;
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
