import { setImmediate as nextTurn } from 'node:timers/promises';
import type { SliceClock } from '#kernel';

/** The thread's own: what is stored needs no clock that a test could hold. */
export const loopClock: SliceClock = {
  monotonicMilliseconds: () => performance.now(),
  nextTurn: () => nextTurn(),
  noteWork: () => undefined,
};
