import { createStore, useStore } from '../state/store.ts';
import { clockOffset, serverNow } from './server-time.ts';

/** Learns the server's time from the `Date` header of an answer, which is to the second. */
export function noteServerDate(header: string | null): void {
  const time = header === null ? NaN : Date.parse(header);
  if (Number.isNaN(time)) return;
  const difference = time + 500 - Date.now();
  // Within a second and a half the two agree as far as the header can tell.
  const offset = Math.abs(difference) < 1_500 ? 0 : difference;
  const isNews = Math.abs(offset - clockOffset.get()) > 1_500;
  clockOffset.set(offset);
  // No age is shown by a clock that is known to be wrong.
  if (isNews) tick();
}

const ticks = createStore({ monotonic: performance.now(), server: serverNow() });
setInterval(tick, 1_000);

function tick(): void {
  ticks.set({ monotonic: performance.now(), server: serverNow() });
}

/** The time, followed second by second: by `performance.now()`, and by the server's clock since 1970. */
export function useNow(): { readonly monotonic: number; readonly server: number } {
  return useStore(ticks);
}
