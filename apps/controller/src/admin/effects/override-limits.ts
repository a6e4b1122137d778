import { namespacedName } from '#kernel';
import type { EarlierReplicas } from '#ledger';
import type { ActivePolicy } from '#reconciliation';
import type { BoundsInForce } from '../policies/policy-picture.ts';
import { QueryError } from '../requests/query-error.ts';

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

/** A fall that one operator alone may not cause. */
export interface LowCount {
  /** How low the target may fall. */
  readonly count: number;
  /** What runs, or ran before steps of the last hour, of which that is less than half; null: it is not known. */
  readonly before: number | null;
  /** When that ran, RFC 3339; null: now. */
  readonly at: string | null;
}

/** What a target runs, and ran. */
export interface RunningCounts {
  readonly inForce: BoundsInForce;
  /** Null: not known. */
  readonly present: number | null;
  /** Null: nothing lowered the present count in steps. */
  readonly earlier: EarlierReplicas | null;
}

/**
 * How low an override lets the target fall where that is below half of its present count, or takes some of it and is below
 * half of what ran before overrides and commits lowered it; null: not so low. What is not known of a count does not make
 * the bar lower, and neither does a document whose bounds a window or another override has raised: the override replaces
 * those, too.
 */
export function lowCountOf(
  active: ActivePolicy,
  counts: OverriddenCounts,
  { inForce, present, earlier }: RunningCounts,
): LowCount | null {
  const count = lowestOf(active, counts, inForce);
  if (count === null) return null;
  if (present === null || count * 2 < present) return { count, before: present, at: null };
  if (earlier === null || count >= present) return null;
  const { replicas, at } = earlier;
  return replicas === null || count * 2 < replicas ? { count, before: replicas, at } : null;
}

/** The lowest count that an override brings, or lets metrics bring; null: it lowers nothing. */
function lowestOf({ policy }: ActivePolicy, counts: OverriddenCounts, inForce: BoundsInForce): number | null {
  const floor = Math.max(policy.minReplicas, inForce.minReplicas);
  const ceiling = Math.max(policy.maxReplicas, inForce.maxReplicas);
  const { minReplicas: min, maxReplicas: max } = counts;
  const lowered = [counts.replicas, isLess(max, ceiling) ? max : null, isLess(min, floor) ? min : null];
  const lowest = Math.min(...lowered.map((count) => count ?? Number.POSITIVE_INFINITY));
  return Number.isFinite(lowest) ? lowest : null;
}

function isLess(count: number | null | undefined, bound: number): boolean {
  return count !== null && count !== undefined && count < bound;
}

/** For people: `10 replicas at 2026-11-22T21:14:00Z → 2 is below half`. */
export function describeLowCount({ count, before, at }: LowCount): string {
  const when = at === null ? 'now' : `at ${at}`;
  if (before !== null) return `${before} replicas ${when} → ${count} is below half`;
  return at === null
    ? `${count} may be below half of the present count, which is not known`
    : `${count} may be below half of what ran since ${at}: more was recorded than is read`;
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
