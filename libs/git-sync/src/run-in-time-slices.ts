import type { ClockPort } from '#reconciliation';

/**
 * Milliseconds of work in one piece. A request and a decision wait no longer than this and one step; shorter slices
 * would spend more on the turns between them.
 */
export const sliceMilliseconds = 20;

/** What work is cut into slices with. */
export type SliceClock = Pick<ClockPort, 'monotonicMilliseconds' | 'nextTurn' | 'noteWork'>;

/**
 * Takes the steps to their end, and lets the loop serve whatever else waits whenever a slice is used up. A single step
 * is never cut.
 *
 * @param work names the steps where they hold the thread: `sync: surveying the tree`
 * @throws what a step throws.
 */
export async function runInTimeSlices<T>(
  steps: Iterator<void, T, void>,
  clock: SliceClock,
  work: string,
): Promise<T> {
  let started = clock.monotonicMilliseconds();
  clock.noteWork(work);
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    if (clock.monotonicMilliseconds() - started < sliceMilliseconds) continue;
    await clock.nextTurn();
    clock.noteWork(work);
    started = clock.monotonicMilliseconds();
  }
}
