import { type Moment, monotonicAt } from '../ports/clock.port.ts';

/** Which way a write takes the replicas. */
export type Direction = 'Up' | 'Down';

/** What keeps writes from lasting, or from being made: each further time lets the next write wait for longer. */
export interface BackOff {
  /** The latest times, oldest first; as many as begin the waiting at most. */
  readonly recent: readonly Occurrence[];
  /** Null: no write waits. */
  readonly begun: WaitingWrites | null;
}

/** Times since writes began to wait, those that began it included. */
export interface WaitingWrites {
  readonly count: number;
  /** When the last one was, in milliseconds of a clock that never goes back. */
  readonly lastAt: number;
}

interface Occurrence {
  /** RFC 3339. */
  readonly time: string;
  /** In milliseconds of a clock that never goes back. */
  readonly at: number;
}

const minute = 60_000;
/** So many within so long begin the waiting. */
const beginningCount = 3;
const beginningMilliseconds = 10 * minute;
/** So long without another one ends it. */
export const endingMilliseconds = 60 * minute;
const longestWaitMilliseconds = 5 * minute;
/** More load is never kept waiting for longer. */
const longestWaitUpMilliseconds = minute;

export const noBackOff: BackOff = { recent: [], begun: null };

/** A back-off after one more time. Pure. */
export function backOffAfter(backOff: BackOff, { time, monotonicMilliseconds: at }: Moment): BackOff {
  const earlier = backOff.recent.filter((occurrence) => at - occurrence.at < beginningMilliseconds);
  const recent = [...earlier, { time, at }].slice(-beginningCount);
  const { begun } = backOffAt(backOff, at);
  const count = begun === null ? recent.length : begun.count + 1;
  return { recent, begun: count < beginningCount ? null : { count, lastAt: at } };
}

/** A back-off at a time, in milliseconds of a clock that never goes back: the same object where it has not ended. Pure. */
export function backOffAt(backOff: BackOff, now: number): BackOff {
  const { begun } = backOff;
  return begun === null || now - begun.lastAt < endingMilliseconds ? backOff : { ...backOff, begun: null };
}

/**
 * A back-off of another process. What a clock that was set back puts into the future counts as of now.
 *
 * @param times RFC 3339, oldest first
 * @param count 0: no write waits
 */
export function restoredBackOff(times: readonly string[], count: number, now: Moment): BackOff {
  const recent = times.map((time) => ({ time, at: monotonicAt(time, now) }));
  const lastAt = recent.at(-1)?.at ?? now.monotonicMilliseconds;
  return { recent, begun: count === 0 ? null : { count, lastAt } };
}

/** How long a write in a direction waits after the last time, in whole seconds. */
export function waitSeconds({ count }: Pick<WaitingWrites, 'count'>, direction: Direction): number {
  const longest = direction === 'Up' ? longestWaitUpMilliseconds : longestWaitMilliseconds;
  return Math.min(minute * 2 ** Math.max(0, count - beginningCount), longest) / 1_000;
}

/** How long it still waits, in whole seconds, rounded up; 0: not at all. */
export function remainingSeconds(begun: WaitingWrites, direction: Direction, now: number): number {
  return Math.max(0, Math.ceil((begun.lastAt - now) / 1_000 + waitSeconds(begun, direction)));
}
