import type { ClockPort } from '#reconciliation';

/**
 * Milliseconds of work in one piece. A request and a decision wait no longer than this and one step; shorter slices
 * would spend more on the turns between them.
 */
export const sliceMilliseconds = 20;

/**
 * Takes the steps to their end, and lets the loop serve whatever else waits whenever a slice is used up. A single step
 * is never cut.
 *
 * @throws what a step throws.
 */
export async function runInTimeSlices<T>(
  steps: Iterator<void, T, void>,
  clock: Pick<ClockPort, 'monotonicMilliseconds' | 'nextTurn'>,
): Promise<T> {
  let started = clock.monotonicMilliseconds();
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    if (clock.monotonicMilliseconds() - started < sliceMilliseconds) continue;
    await clock.nextTurn();
    started = clock.monotonicMilliseconds();
  }
}
