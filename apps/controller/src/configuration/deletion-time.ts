import { type ClockPort, SettledTime } from '#reconciliation';

const hourMilliseconds = 3_600_000;

/**
 * The time of day by which something is deleted that does not come back: a clock that is ahead for a moment must not let
 * everything go. One that was set forward by more than an hour counts only once it has stayed so for six hours; one that
 * was set back, at once.
 */
export function deletionTime(clock: Pick<ClockPort, 'now' | 'monotonicMilliseconds'>): SettledTime {
  return new SettledTime(clock, {
    maximumJumpMilliseconds: hourMilliseconds,
    settlingMilliseconds: 6 * hourMilliseconds,
    doubts: 'Forward',
  });
}
