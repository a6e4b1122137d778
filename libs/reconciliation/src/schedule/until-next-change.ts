import type { ReconcilePorts } from '../pass/pass.ts';
import type { ActivePolicy } from '../policies/active-policy.ts';

/** Milliseconds until a window begins or ends or an intervention expires; null: none does. */
export function untilNextChange(
  ports: Pick<ReconcilePorts, 'windows' | 'interventions' | 'clock'>,
  active: ActivePolicy,
): number | null {
  if (!hasWindows(active) && ports.interventions.list().length === 0) return null;
  const time = ports.clock.now();
  const times = [untilNextWindow(ports, active, time), ports.interventions.untilNextExpiry(active, time)];
  const known = times.filter((milliseconds) => milliseconds !== null);
  return known.length === 0 ? null : Math.min(...known);
}

function hasWindows({ policy: { schedules, freezes } }: ActivePolicy): boolean {
  return schedules.length > 0 || freezes.length > 0;
}

/** A cron that cannot be read is the pass's business, which fails on it. */
function untilNextWindow(
  { windows }: Pick<ReconcilePorts, 'windows'>,
  active: ActivePolicy,
  time: string,
): number | null {
  if (!hasWindows(active)) return null;
  try {
    return windows.untilNextChange(active.policy, time);
  } catch {
    return null;
  }
}
