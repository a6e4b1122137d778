/** By what a wait is ended. */
export interface WaitClock {
  /** Calls back after so many milliseconds; the function that it returns cancels that. */
  schedule(milliseconds: number, callback: () => void): () => void;
}

/** That work has not come to anything in time. */
export const late = Symbol('late');

/**
 * What work comes to, where it comes to anything within so many milliseconds. It goes on either way, and what it throws later
 * is nobody's.
 *
 * @throws what the work throws in time
 */
export async function withinTime<T>(
  clock: WaitClock,
  milliseconds: number,
  work: Promise<T>,
): Promise<T | typeof late> {
  const { promise, resolve } = Promise.withResolvers<typeof late>();
  const cancel = clock.schedule(milliseconds, () => resolve(late));
  return Promise.race([work, promise]).finally(cancel);
}
