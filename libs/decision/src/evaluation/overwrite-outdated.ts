import { compareInstants, type Instant } from '#kernel';
import { instantOf } from '../model/instant-of.ts';
import type { TimedReplicas } from '../model/memory.ts';

/** Whether a remembered time lies before a moment (strict); one that cannot be read is the oldest there is. */
export function isBefore(time: string, moment: Instant): boolean {
  const instant = instantOf(time);
  return instant === undefined || compareInstants(instant, moment) < 0;
}

/** Whether a remembered time lies after a moment (strict). */
export function isAfter(time: string, moment: Instant): boolean {
  const instant = instantOf(time);
  return instant !== undefined && compareInstants(instant, moment) > 0;
}

/** Puts an entry in the place of the last outdated one, or at the end. The list never shrinks and is never sorted. */
export function overwriteOutdated(
  list: readonly TimedReplicas[],
  entry: TimedReplicas,
  isOutdated: (entry: TimedReplicas) => boolean,
): readonly TimedReplicas[] {
  for (let index = list.length - 1; index >= 0; index -= 1) {
    const known = list[index];
    if (known !== undefined && isOutdated(known)) return list.with(index, entry);
  }
  return [...list, entry];
}
