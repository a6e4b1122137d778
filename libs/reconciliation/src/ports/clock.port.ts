import { parseInstant, wholeSecondsBetween } from '#kernel';

/** Time, given from outside so that tests hold it still. */
export interface ClockPort {
  /** The time of day, RFC 3339 in UTC with milliseconds: `2026-11-20T12:00:00.000Z`. */
  now(): string;
  /** A clock that never goes back, for intervals and deadlines; milliseconds from an arbitrary start. */
  monotonicMilliseconds(): number;
  /**
   * Calls `callback` once after at least `milliseconds`.
   *
   * @returns a function that cancels it.
   */
  schedule(milliseconds: number, callback: () => void): () => void;
  /** Resolves after the loop has served whatever else waits, so that a long sweep does not stop it. */
  nextTurn(): Promise<void>;
  /** Names what begins now and may hold the thread for long, so that the monitor of the loop can say who held it. */
  noteWork(work: string): void;
}

/** A moment on both clocks: of the one for people and records, and of the one for waits. */
export interface Moment {
  readonly time: string;
  readonly monotonicMilliseconds: number;
}

/** The present moment. */
export function momentOf(clock: ClockPort): Moment {
  return { time: clock.now(), monotonicMilliseconds: clock.monotonicMilliseconds() };
}

/** A time of day (RFC 3339) on the clock that never goes back, in milliseconds; one of the future, or that is none, is now. */
export function monotonicAt(time: string, now: Moment): number {
  const [then, present] = [parseInstant(time), parseInstant(now.time)];
  if (then === undefined || present === undefined) return now.monotonicMilliseconds;
  return now.monotonicMilliseconds - Math.max(0, wholeSecondsBetween(then, present)) * 1_000;
}
