import type { ClockPort } from '#reconciliation';

/** The process's clock and timers; `noteWork` hears what may hold the thread. */
export const systemClock = (noteWork: (work: string) => void): ClockPort => ({
  noteWork,
  now: () => new Date().toISOString(),
  monotonicMilliseconds: () => performance.now(),
  schedule: (milliseconds, callback) => {
    const timer = setTimeout(callback, milliseconds);
    return () => clearTimeout(timer);
  },
  nextTurn: () =>
    new Promise((resolve) => {
      setImmediate(resolve);
    }),
});
