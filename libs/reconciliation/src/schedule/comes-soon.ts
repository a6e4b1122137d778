import type { ClockPort } from '../ports/clock.port.ts';

/** So many times the loop serves what waits before what has not come counts as late. */
const turnsToLateness = 8;

/** Whether something comes within so many milliseconds. A loop that is late has answers that came in time yet to read. */
export async function comesSoon(
  clock: ClockPort,
  awaited: Promise<unknown>,
  milliseconds: number,
): Promise<boolean> {
  const { promise: late, resolve } = Promise.withResolvers<false>();
  const came = awaited.then(() => true);
  const cancel = clock.schedule(milliseconds, () => resolve(false));
  if (await Promise.race([came, late])) {
    cancel();
    return true;
  }
  for (let turn = 0; turn < turnsToLateness; turn += 1) await clock.nextTurn();
  return Promise.race([came, late]);
}
