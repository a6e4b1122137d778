import { Deadline, DeadlineExceeded } from '../pass/deadline.ts';
import type { Pass } from '../pass/pass.ts';
import type { ScaleState } from '../ports/scale.port.ts';
import type { WatchProgress } from '../runtime/replica-account.ts';

/** A healthy watch is milliseconds behind an answer of the API server, one that has to connect again a second or two. */
const patienceMilliseconds = 5_000;

const watch = 'the watch to report a scale that was read';

/**
 * Waits until the watch has reported every change up to a scale that was read or written, so that each is recorded once,
 * in its place and with its manager.
 *
 * @throws DeadlineExceeded at the pass's own deadline
 */
export async function awaitWatch(
  { ports, runtime, deadline }: Pick<Pass, 'ports' | 'runtime' | 'deadline'>,
  { resourceVersion }: ScaleState,
): Promise<WatchProgress> {
  const reached = ports.replicaChanges.reached(runtime.target, resourceVersion);
  if (reached === 'Reached') return 'CaughtUp';
  const patience = new Deadline(ports.clock, patienceMilliseconds);
  try {
    await deadline.race(patience.race(reached, watch), watch);
    return 'CaughtUp';
  } catch (error) {
    if (error instanceof DeadlineExceeded && !deadline.isExpired) return 'Behind';
    throw error;
  } finally {
    patience.clear();
  }
}
