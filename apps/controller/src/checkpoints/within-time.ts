import type { ClockPort } from '#reconciliation';

/** That work has not come to anything in time. */
export const late = Symbol('late');

/** What work comes to, where it comes to anything within so many milliseconds; it goes on either way. @throws what it throws */
export async function withinTime<T>(
  clock: Pick<ClockPort, 'schedule'>,
  milliseconds: number,
  work: Promise<T>,
): Promise<T | typeof late> {
  const { promise, resolve } = Promise.withResolvers<typeof late>();
  const cancel = clock.schedule(milliseconds, () => resolve(late));
  return Promise.race([work, promise]).finally(cancel);
}
