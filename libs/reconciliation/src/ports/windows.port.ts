import type { ObservedWindow } from '#decision';
import type { EffectivePolicy } from '#policy';

/** Evaluates schedules and freezes: cron, time zone and daylight saving are the shell's business, never the core's. */
export interface WindowsPort {
  /** `observation.windows`: those of the policy's schedules and freezes in force at `time` (RFC 3339). Reads no clock. */
  windowsInForce(
    policy: Pick<EffectivePolicy, 'name' | 'schedules' | 'freezes'>,
    time: string,
  ): readonly ObservedWindow[];

  /** Milliseconds from `time` (RFC 3339) until a window of the policy begins or ends; null: none does. Reads no clock. */
  untilNextChange(policy: EffectivePolicy, time: string): number | null;
}
