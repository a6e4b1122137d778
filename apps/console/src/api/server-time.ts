import { createStore } from '../state/store.ts';

/** Server's time less the browser's, in milliseconds: the browser's clock may be an hour off, or a year. */
export const clockOffset = createStore(0);

/** Milliseconds since 1970 by the server's clock. */
export function serverNow(): number {
  return Date.now() + clockOffset.get();
}
