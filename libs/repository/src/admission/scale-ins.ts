import { namespacedName } from '#kernel';
import type { EffectivePolicy } from '#policy';
import type { PolicyDifference } from './hold-effect.ts';

/** The count that ran before it was lowered in steps; `replicas` null: not known. */
export interface CountBefore {
  readonly replicas: number | null;
  /** RFC 3339. */
  readonly at: string;
}

/** How many replicas run and ran, as far as it is known. */
export interface ReplicaCounts {
  /** Replicas of the policy's target now; undefined where that is unknown. */
  readonly presentReplicas: (policy: EffectivePolicy) => number | undefined;
  /** What overrides and commits lowered that count from within the last hour; undefined: from nothing. */
  readonly earlierReplicas: (policy: EffectivePolicy) => CountBefore | undefined;
}

/** A bound that takes too much of what runs. */
export interface ScaleIn {
  /** `shop/a maxReplicas 20 → 5 (14 present)`; `shop/a maxReplicas 5 (14 present)`: it is as it was. */
  readonly item: string;
  /** `5 is below half of the 14 that run (7)` */
  readonly why: string;
}

/** The bounds of a changed policy that take too much of what runs, or ran before. Pure. */
export function scaleInsOf(
  { before, after }: PolicyDifference,
  { presentReplicas, earlierReplicas }: ReplicaCounts,
): readonly ScaleIn[] {
  if (after === undefined) return [];
  const [present, earlier] = [presentReplicas(after), earlierReplicas(after)];
  const name = namespacedName(after);
  const old = new Map(before === undefined ? [] : upperBounds(before));
  const oldMaximum = before?.maxReplicas;
  return upperBounds(after).flatMap(([field, to]) => {
    const from = old.get(field) ?? oldMaximum;
    const counts = countsBehind({ to, isLowered: from === undefined || to < from }, present, earlier);
    if (counts === null) return [];
    const change = from === to ? to : `${from ?? 'new'} → ${to}`;
    return [
      { item: `${name} ${field} ${change} (${counts.text})`, why: `${name}: ${field} ${to} ${counts.why}` },
    ];
  });
}

/** The counts that a bound takes too much of, as people read them, and why it does; null: it does not. */
function countsBehind(
  { to, isLowered }: { readonly to: number; readonly isLowered: boolean },
  present: number | undefined,
  earlier: CountBefore | undefined,
): { readonly text: string; readonly why: string } | null {
  if (present === undefined) {
    return isLowered
      ? { text: 'unknown present', why: 'is new or lowered while it is unknown how many run' }
      : null;
  }
  const now = `${present} present`;
  if (earlier !== undefined && isLowered && isFurtherStep(to, present, earlier)) {
    return {
      text: `${now}, ${earlier.replicas ?? 'unknown'} at ${earlier.at}`,
      why: furtherStepText(earlier),
    };
  }
  return to * 2 < present
    ? { text: now, why: `is below half of the ${present} that run (${present / 2})` }
    : null;
}

function furtherStepText({ replicas, at }: CountBefore): string {
  const before = `at ${at}, before overrides and commits lowered them`;
  return replicas === null
    ? `is lowered further, and it is unknown how many ran ${before}`
    : `is below half of the ${replicas} (${replicas / 2}) that ran ${before}`;
}

/** Takes more of what runs, and with what was taken in steps before it comes to more than half. */
function isFurtherStep(to: number, present: number, { replicas }: CountBefore): boolean {
  return to < present && (replicas === null || to * 2 < replicas);
}

/** Whether a policy may take some of so many replicas by its bounds alone. */
export function mayTakeFrom(policy: EffectivePolicy, replicas: number): boolean {
  return upperBounds(policy).some(([, bound]) => bound < replicas);
}

/** What may take replicas away by itself. */
function upperBounds(policy: EffectivePolicy): readonly (readonly [field: string, bound: number])[] {
  const scheduled = policy.schedules.flatMap(({ name, maxReplicas }) =>
    maxReplicas === undefined ? [] : [[`schedule ${name} maxReplicas`, maxReplicas] as const],
  );
  const restored =
    policy.enabled || policy.replicas === undefined ? [] : [['replicas', policy.replicas] as const];
  return policy.enabled ? [['maxReplicas', policy.maxReplicas] as const, ...scheduled] : restored;
}
