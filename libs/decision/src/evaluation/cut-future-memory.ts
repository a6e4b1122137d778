import { addSeconds, compareInstants, type Instant } from '#kernel';
import { instantOf } from '../model/instant-of.ts';
import type { Memory, TimedReplicas } from '../model/memory.ts';
import type { Optional } from '../model/observation.ts';

/** A memory, and how many of its times were replaced. */
export interface CutMemory {
  readonly memory: Memory;
  readonly cutTimes: number;
}

/**
 * Replaces times that lie more than `maximumFutureSeconds` after now by now. A clock that is set back leaves such times,
 * and windows, delays and stabilization counted from them would not end before the clock reaches them again.
 */
export function cutFutureMemory(
  memory: Memory,
  { now, time, maximumFutureSeconds }: { now: Instant; time: string; maximumFutureSeconds: number | null },
): CutMemory {
  if (maximumFutureSeconds === null) return { memory, cutTimes: 0 };
  const latest = addSeconds(now, maximumFutureSeconds);
  const cutTimes = countLater(memory, latest);
  if (cutTimes === 0) return { memory, cutTimes };
  return { memory: replaceTimes(memory, (text) => (isLater(text, latest) ? time : text)), cutTimes };
}

function isLater(text: Optional<string>, moment: Instant): boolean {
  const instant = instantOf(text);
  return instant !== undefined && compareInstants(instant, moment) > 0;
}

function countLater(memory: Memory, moment: Instant): number {
  const { recommendations, scaleUpEvents, scaleDownEvents, conditions, lastScaleTime } = memory;
  let count = Number(isLater(lastScaleTime, moment));
  for (const entries of [recommendations, scaleUpEvents, scaleDownEvents])
    for (const { time } of entries ?? none) count += Number(isLater(time, moment));
  for (const { lastTransitionTime } of conditions ?? none)
    count += Number(isLater(lastTransitionTime, moment));
  return count;
}

const none: readonly never[] = [];

function replaceTimes(memory: Memory, replace: <T extends Optional<string>>(text: T) => T | string): Memory {
  const timed = (list: Optional<readonly TimedReplicas[]>): Optional<readonly TimedReplicas[]> =>
    list?.map((entry) => ({ ...entry, time: replace(entry.time) })) ?? list;
  return {
    ...memory,
    recommendations: timed(memory.recommendations),
    scaleUpEvents: timed(memory.scaleUpEvents),
    scaleDownEvents: timed(memory.scaleDownEvents),
    lastScaleTime: replace(memory.lastScaleTime),
    conditions: memory.conditions?.map((condition) => ({
      ...condition,
      lastTransitionTime: replace(condition.lastTransitionTime),
    })),
  };
}
