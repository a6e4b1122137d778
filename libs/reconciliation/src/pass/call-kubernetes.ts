import type { Pass } from './pass.ts';

/**
 * Makes one call to the Kubernetes API, within the pass's time and the bound on calls at a time. A call that never
 * answers gives up its place at the deadline.
 *
 * @throws DeadlineExceeded
 */
export function callKubernetes<T>(
  { semaphore, deadline }: Pick<Pass, 'semaphore' | 'deadline'>,
  call: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const { signal } = deadline;
  return deadline.race(semaphore.run(signal, () => deadline.race(call(signal))));
}
