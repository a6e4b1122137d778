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
  let cutTimes = 0;
  const cut = <T extends Optional<string>>(text: T): T | string => {
    const instant = instantOf(text);
    if (instant === undefined || compareInstants(instant, latest) <= 0) return text;
    cutTimes += 1;
    return time;
  };
  const timed = (list: Optional<readonly TimedReplicas[]>): Optional<readonly TimedReplicas[]> =>
    list?.map((entry) => ({ ...entry, time: cut(entry.time) })) ?? list;
  const replaced: Memory = {
    ...memory,
    recommendations: timed(memory.recommendations),
    scaleUpEvents: timed(memory.scaleUpEvents),
    scaleDownEvents: timed(memory.scaleDownEvents),
    lastScaleTime: cut(memory.lastScaleTime),
    conditions: memory.conditions?.map((condition) => ({
      ...condition,
      lastTransitionTime: cut(condition.lastTransitionTime),
    })),
  };
  return cutTimes === 0 ? { memory, cutTimes } : { memory: replaced, cutTimes };
}
