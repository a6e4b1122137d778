import { addSeconds, compareInstants, parseInstant } from '#kernel';

/** A run is sealed when it has lasted this long: what a crash may lose, and how fine blame can look. */
export const maximumRunSeconds = 15 * 60;

/** Whether a time is earlier than another; one that does not parse is. */
export function isBefore(a: string, b: string): boolean {
  const [instantA, instantB] = [parseInstant(a), parseInstant(b)];
  return instantA === undefined || instantB === undefined || compareInstants(instantA, instantB) < 0;
}

/** Whether a run that began at `first` would last 15 minutes or longer at `time`. */
export function lastsTooLong(first: string, time: string): boolean {
  const [start, end] = [parseInstant(first), parseInstant(time)];
  if (start === undefined || end === undefined) return true;
  return compareInstants(end, addSeconds(start, maximumRunSeconds)) >= 0;
}
