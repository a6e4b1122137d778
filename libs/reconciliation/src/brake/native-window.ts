import type { EffectivePolicy } from '#policy';

/** What the native controller waits for where the policy names no window. */
const defaultWindowSeconds = 300;

/** A pass that takes longer is given up by default. */
const passSeconds = 30;

/**
 * Why the fleet brake can only do its best for the HPA of a policy, in sentences; none: the native controller waits for
 * longer than the brake takes. It counts over five minutes, and renders its stop in the policy's next pass.
 */
export function bestEffortOfBrake({
  actuation,
  behavior: { scaleDown },
  intervalSeconds,
}: Pick<EffectivePolicy, 'actuation' | 'behavior' | 'intervalSeconds'>): readonly string[] {
  if (actuation !== 'HorizontalPodAutoscaler' || scaleDown.selectPolicy === 'Disabled') return [];
  const window = scaleDown.stabilizationWindowSeconds ?? defaultWindowSeconds;
  const needed = Math.max(defaultWindowSeconds, intervalSeconds + passSeconds);
  if (window >= needed) return [];
  return [
    `the fleet brake is best effort: the native controller may scale in after ${window} s, and the stop may take ${needed} s`,
  ];
}
