/**
 * Waits for work that others wait for too: the signal ends this wait, not the work. Where it has ended already, the work is
 * not begun: nobody would hear of its failure.
 *
 * @throws the signal's reason, or what the work throws.
 */
export async function untilAborted<T>(signal: AbortSignal, begin: () => Promise<T>): Promise<T> {
  signal.throwIfAborted();
  const { promise, reject } = Promise.withResolvers<never>();
  const onAbort = (): void => reject(signal.reason as Error);
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    return await Promise.race([begin(), promise]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}
