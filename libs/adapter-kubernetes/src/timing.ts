import { setTimeout as delay } from 'node:timers/promises';

/** The clock, the waiting and the dice of this adapter: injected, so that no test sleeps. */
export interface Timing {
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Resolves after `ms` milliseconds; rejects with the signal's reason as soon as it is aborted. */
  readonly wait: (ms: number, signal?: AbortSignal) => Promise<void>;
  /** In [0, 1). */
  readonly random: () => number;
}

/** The machine's own clock. Waiting does not keep the process alive. */
export const systemTiming: Timing = {
  now: () => Date.now(),
  wait: (ms, signal) => delay(ms, undefined, signal === undefined ? { ref: false } : { signal, ref: false }),
  random: () => Math.random(),
};
