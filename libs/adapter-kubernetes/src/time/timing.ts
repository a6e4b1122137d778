import { setTimeout as delay } from 'node:timers/promises';

/** The clocks, the waiting and the random numbers of this adapter: injected, so that no test sleeps. */
export interface Timing {
  /** Milliseconds since the epoch: for times that are recorded or shown. May be set back. */
  readonly now: () => number;
  /** Milliseconds since some moment: for durations. Never goes back. */
  readonly elapsed: () => number;
  /** Resolves after `ms` milliseconds; rejects with the signal's reason as soon as it is aborted. */
  readonly wait: (ms: number, signal?: AbortSignal) => Promise<void>;
  /** In [0, 1). */
  readonly random: () => number;
}

/** The machine's own clock. Waiting does not keep the process alive. */
export const systemTiming: Timing = {
  now: () => Date.now(),
  elapsed: () => performance.now(),
  wait: (ms, signal) => delay(ms, undefined, signal === undefined ? { ref: false } : { signal, ref: false }),
  random: () => Math.random(),
};
