import type { ObservedWindow } from '#decision';
import type { EffectivePolicy } from '#policy';

/** What of a policy says which windows it has, and what their bounds replace. */
export type WindowedPolicy = Pick<
  EffectivePolicy,
  'name' | 'minReplicas' | 'maxReplicas' | 'schedules' | 'freezes'
>;

/** Evaluates schedules and freezes: cron, time zone and daylight saving are the shell's business, never the core's. */
export interface WindowsPort {
  /** `observation.windows`: those of the policy's schedules and freezes in force at `time` (RFC 3339). */
  windowsInForce(policy: WindowedPolicy, time: string): readonly ObservedWindow[];

  /** Milliseconds from `time` (RFC 3339) until a window of the policy begins or ends; null: none does. */
  untilNextChange(policy: EffectivePolicy, time: string): number | null;
}

/** Windows of a present that may be in doubt. */
export interface SettledWindowsPort extends WindowsPort {
  /** Whether the clock has jumped, so that ends of windows are put off until it is right again, or believed. */
  readonly isTimeInDoubt: boolean;
}
