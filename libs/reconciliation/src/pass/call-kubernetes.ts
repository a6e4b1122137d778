import type { Pass } from './pass.ts';

/**
 * Makes one call to the Kubernetes API, within the pass's time and the bound on calls at a time. A call that never
 * answers gives up its place at the deadline.
 *
 * @param call its name, as {@link DeadlineExceeded} says it: `GET of the scale of Deployment web`
 * @throws DeadlineExceeded
 */
export function callKubernetes<T>(
  { semaphore, deadline }: Pick<Pass, 'semaphore' | 'deadline'>,
  call: string,
  send: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const { signal } = deadline;
  let name = `a place among the calls to the API server (reconcile.concurrency), for the ${call}`;
  const sent = semaphore.run(signal, () => {
    name = `the ${call}`;
    return deadline.race(send(signal), name);
  });
  return deadline.race(sent, () => name);
}
