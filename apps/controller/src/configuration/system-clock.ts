import type { ClockPort } from '#reconciliation';

/** The process's clock and timers. */
export const systemClock: ClockPort = {
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
};
