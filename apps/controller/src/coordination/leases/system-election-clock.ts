import { setTimeout as delay } from 'node:timers/promises';
import type { ElectionClock } from './election-tools.ts';

/** The machine's own clocks. A wait does not keep the process alive. */
export const systemElectionClock: ElectionClock = {
  elapsed: () => performance.now(),
  now: () => new Date().toISOString(),
  wait: (milliseconds, signal) => delay(milliseconds, undefined, { signal, ref: false }),
  random: () => Math.random(),
};
