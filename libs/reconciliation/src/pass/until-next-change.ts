import type { ActivePolicy } from '../active-policy.ts';
import type { ReconcilePorts } from './pass.ts';

/** Milliseconds until a window begins or ends or an intervention expires; null: none does. */
export function untilNextChange(
  ports: Pick<ReconcilePorts, 'windows' | 'interventions'>,
  active: ActivePolicy,
  time: string,
): number | null {
  const times = [untilNextWindow(ports, active, time), ports.interventions.untilNextExpiry(active, time)];
  const known = times.filter((milliseconds) => milliseconds !== null);
  return known.length === 0 ? null : Math.min(...known);
}

/** Most policies have no windows. A cron that cannot be read is the pass's business, which fails on it. */
function untilNextWindow(
  { windows }: Pick<ReconcilePorts, 'windows'>,
  { policy }: ActivePolicy,
  time: string,
): number | null {
  if (policy.schedules.length === 0 && policy.freezes.length === 0) return null;
  try {
    return windows.untilNextChange(policy, time);
  } catch {
    return null;
  }
}
