/** A server that asks for more is treated as down: the caller's deadline is shorter anyway. */
const maximumSeconds = 60;
const defaultSeconds = 1;

/**
 * How long the server wants to be left alone, in milliseconds, with up to 10 % more so that callers do not return together.
 *
 * @param header the `Retry-After` header: whole seconds, or an HTTP date
 * @param at now (ms since the epoch) and the dice
 */
export function retryDelayMilliseconds(
  header: string | undefined,
  at: { readonly now: number; readonly random: number },
): number {
  const seconds = header === undefined ? defaultSeconds : secondsOf(header, at.now);
  return Math.round(Math.min(Math.max(seconds, 0), maximumSeconds) * 1000 * (1 + at.random / 10));
}

function secondsOf(header: string, now: number): number {
  if (/^\d+$/.test(header)) return Number(header);
  const date = Date.parse(header);
  return Number.isNaN(date) ? defaultSeconds : (date - now) / 1000;
}
