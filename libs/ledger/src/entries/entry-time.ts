import { parseInstant } from '#kernel';

/** 2262-01-01: nanoseconds since 1970 stay within a signed 64-bit integer, which both databases sort by. */
const endOfSortableTime = 9_214_646_400;
const nanosecondsPerSecond = 1_000_000_000n;

/**
 * A time as nanoseconds since 1970, exactly; what entries are ordered by, since texts whose fractions differ in
 * length do not sort.
 *
 * @returns `null` for what is no RFC 3339 time of the years 1970 to 2261.
 */
export function timeNanoseconds(time: string): bigint | null {
  const instant = parseInstant(time);
  if (instant === undefined || instant.seconds < 0 || instant.seconds >= endOfSortableTime) return null;
  return BigInt(instant.seconds) * nanosecondsPerSecond + BigInt(instant.nanos);
}
