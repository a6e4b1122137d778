import type { Direction } from '#decision';
import type { EffectivePolicy } from '#policy';
import {
  type ActivePolicy,
  effectiveLimits,
  type InForce,
  mayActOn,
  type Stop,
  type WindowedPolicy,
  type WindowsPort,
} from '#reconciliation';
import type { PolicyPicture } from '../requests/action-effect.ts';

/** Between which counts a policy is now, with its windows and interventions applied. */
export interface BoundsInForce {
  readonly minReplicas: number;
  readonly maxReplicas: number;
}

/** What a policy is carried out by at a moment. */
export function pictureOf(policy: PicturedPolicy, inForce: InForce, present: number | null): PolicyPicture {
  const acting = actingOn(policy, inForce);
  const { minReplicas, maxReplicas, pin, stops } = effectiveLimits(policy, acting);
  const isDryRun = policy.dryRun || acting.interventions.some(({ kind }) => kind === 'DryRun');
  const picture = { minReplicas, maxReplicas, pin, stopped: stoppedBy(stops), isDryRun };
  return { ...picture, replicas: nextReplicas(picture, present, policy) };
}

/** Without interventions of a kind that the policy's actuation cannot carry out. */
export function actingOn(policy: PicturedPolicy, inForce: InForce): InForce {
  return { ...inForce, interventions: inForce.interventions.filter(({ kind }) => mayActOn(policy, kind)) };
}

/** What is read of a policy for its picture. */
export type PicturedPolicy = Pick<
  EffectivePolicy,
  'enabled' | 'dryRun' | 'actuation' | 'minReplicas' | 'maxReplicas'
>;

/** A policy's bounds at a moment, its windows and interventions applied. */
export function boundsInForce(
  active: ActivePolicy,
  at: Omit<InForce, 'windows'>,
  windows: Pick<WindowsPort, 'windowsInForce'>,
): BoundsInForce {
  return effectiveLimits(active.policy, { ...at, windows: windowsAt(active.policy, at.time, windows) });
}

/** A cron that cannot be read fails the policy's passes, and says so there. */
export function windowsAt(
  policy: WindowedPolicy,
  time: string,
  windows: Pick<WindowsPort, 'windowsInForce'>,
): InForce['windows'] {
  try {
    return windows.windowsInForce(policy, time);
  } catch {
    return [];
  }
}

/** What a pass comes to at once, whatever metrics ask for: a pin, or the present count within the bounds. */
function nextReplicas(
  { minReplicas, maxReplicas, pin, stopped, isDryRun }: Omit<PolicyPicture, 'replicas'>,
  present: number | null,
  { enabled, actuation }: PicturedPolicy,
): number | null {
  if (present === null) return null;
  // A count of 0 may be a pause, or an own scaling to zero: only a pass knows.
  if (present === 0) return pin === 0 ? 0 : null;
  if (!enabled || isDryRun) return present;
  const wanted = pin ?? Math.min(Math.max(present, minReplicas), maxReplicas);
  // autoscaling/v2 has no maximum of 0: to 0 it scales only where its metrics say so.
  if (actuation === 'HorizontalPodAutoscaler') return Math.max(1, wanted);
  return stops(stopped, present, wanted) ? present : wanted;
}

function stops(stopped: PolicyPicture['stopped'], present: number, wanted: number): boolean {
  if (stopped === 'None' || wanted === present) return false;
  return stopped === 'Both' || (stopped === 'Up') === wanted > present;
}

function stoppedBy(stopping: readonly Stop[]): Direction | 'None' {
  const directions = new Set(stopping.map(({ direction }) => direction));
  if (directions.has('Both') || (directions.has('Up') && directions.has('Down'))) return 'Both';
  const [only] = directions;
  return only ?? 'None';
}
