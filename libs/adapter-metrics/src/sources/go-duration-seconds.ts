/** It matches at the first digit, unit or none, so that many digits take linear time. */
const part = /([\d.]+)([a-zµ]*)/g;
const secondsPerUnit: Readonly<Record<string, number>> = {
  ns: 1e-9,
  us: 1e-6,
  µs: 1e-6,
  ms: 1e-3,
  s: 1,
  m: 60,
  h: 3600,
};
/** What the decision contract takes where a sample names no window. */
const defaultSeconds = 60;

/**
 * Seconds of a Go duration, as metrics.k8s.io writes a sample's window: `10s`, `1m14.963s`. Rounded up to whole seconds: a
 * window that is taken as too long makes a pod count as not yet measured, never as idle. Without a duration: 60.
 *
 * @example goDurationSeconds('1m0.5s') // 61
 */
export function goDurationSeconds(duration: string): number {
  const parts = [...duration.matchAll(part)]
    .map(([, number, unit = '']) => Number(number) * (secondsPerUnit[unit] ?? Number.NaN))
    .filter((seconds) => Number.isFinite(seconds));
  return parts.length === 0 ? defaultSeconds : Math.ceil(parts.reduce((sum, seconds) => sum + seconds));
}
