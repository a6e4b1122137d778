import { addSeconds, parseInstant, toMillisecondText } from '#kernel';
import type { RecordedRefusal } from '#ledger';
import type { Moment } from '../ports/clock.port.ts';
import {
  type BackOff,
  backOffAfter,
  type Direction,
  endingMilliseconds,
  noBackOff,
  remainingSeconds,
  restoredBackOff,
  waitSeconds,
} from './back-off.ts';

/** A write, with all that tells it from another one that may be taken where it is refused. */
export interface RefusableWrite {
  readonly direction: Direction;
  /** The replicas that are written to a scale, or in words what is done with the policy's HPA. */
  readonly wanted: number | string;
  /** Of the target; null: not known. */
  readonly targetUid: string | null;
  /** Of the policy: the commit and the file that brought it. */
  readonly version: string;
}

/** The code of an error of the API server's own (5xx), after which a write may have been made. */
export const serverError = 'ServerError';

/**
 * What may pass by itself, and does not for being asked again: an API server that has too much to do stays so for longer, what
 * answers 409 of its own accord has no version that a later request would meet, and a scale that is watched and cannot be
 * read is in nobody's way until it is written.
 */
const lastingRefusals: ReadonlySet<string> = new Set([
  'TooManyRequests',
  'UnfoundedConflict',
  'NotReadBefore',
]);

/** Whether a write that failed so waits where it does again and again. What passes by itself is tried again in every pass. */
export function isRefusal({
  code,
  retryable,
}: {
  readonly code: string;
  readonly retryable: boolean;
}): boolean {
  return !retryable || lastingRefusals.has(code);
}

/** Why a write was refused. */
export interface RefusalReason {
  readonly code: string;
  /** What could not be done, and what the API server said. */
  readonly message: string;
}

/**
 * A write that the API server refuses. Of a scale, `wanted` is the count nearest to the present one that was refused: what
 * is nearer may be taken.
 */
export interface Refusal extends RefusableWrite, RefusalReason {
  /** Of the first refusal, RFC 3339. */
  readonly since: string;
  readonly backOff: BackOff;
}

/**
 * Notices that the API server refuses the same write again and again. From the third time within ten minutes on it waits as
 * a contested write does, until one is made. A restart goes on from what {@link recorded} says.
 */
export class Refusals {
  #refusal: Refusal | null = null;
  #recorded: RecordedRefusal | null = null;
  /** A write that the API server answered with an error of its own, and may have made. */
  #doubtful: { readonly write: RefusableWrite; readonly reason: RefusalReason; readonly at: Moment } | null =
    null;

  /** Takes a refusal. @returns what it came to, in words */
  note(write: RefusableWrite, { code, message }: RefusalReason, now: Moment): string {
    const before = this.at(now.monotonicMilliseconds);
    const isAgain = before !== null && before.code === code && isAlike(before, write);
    this.#refusal = {
      ...write,
      wanted: isAgain && !isNearer(write, before) ? before.wanted : write.wanted,
      code,
      message,
      since: isAgain ? before.since : now.time,
      backOff: backOffAfter(isAgain ? before.backOff : noBackOff, now),
    };
    this.#recorded = recordOf(this.#refusal);
    this.#doubtful = null;
    return describeRefusal(this.#refusal);
  }

  /**
   * Takes why it is not known whether a write was made. One that has no answer is none that was refused.
   *
   * @returns what it came to, in words, where it is one more of a write that already waits after each refusal; null: it is
   *   not, and only in doubt
   */
  suspect(write: RefusableWrite, reason: RefusalReason, at: Moment): string | null {
    this.#doubtful = reason.code === serverError ? { write, reason, at } : null;
    const refusal = this.at(at.monotonicMilliseconds);
    if (this.#doubtful === null || refusal === null || !isOneMore(refusal, write, reason)) return null;
    return `${describeCount({ ...refusal, message: reason.message })}; the next pass finds out whether it was once more`;
  }

  /** The write of which it was not known was not made. */
  confirm(): void {
    if (this.#doubtful === null) return;
    const { write, reason, at } = this.#doubtful;
    this.note(write, reason, at);
  }

  /** A write was made. */
  clear(): void {
    this.#refusal = null;
    this.#recorded = null;
    this.#doubtful = null;
  }

  /** The refusal at a time, in milliseconds of a clock that never goes back; null: there is none. */
  at(now: number): Refusal | null {
    const last = this.#refusal?.backOff.recent.at(-1);
    if (last !== undefined && now - last.at >= endingMilliseconds) this.clear();
    return this.#refusal;
  }

  /** Whether it has been refused so often that it waits. */
  get isWaiting(): boolean {
    return this.#refusal !== null && this.#refusal.backOff.begun !== null;
  }

  /** What a restart goes on from, the same object until it changes; null: nothing was refused. */
  get recorded(): RecordedRefusal | null {
    return this.#recorded;
  }

  /** Goes on where another process stopped. What a clock that was set back puts into the future counts as of now. */
  restore(recorded: RecordedRefusal | null, now: Moment): void {
    this.clear();
    if (recorded === null) return;
    const { refusedAt, refusals, ...refused } = recorded;
    this.#refusal = { ...refused, backOff: restoredBackOff(refusedAt, refusals, now) };
    this.#recorded = recorded;
  }
}

function recordOf({ backOff: { recent, begun }, ...refused }: Refusal): RecordedRefusal {
  return { ...refused, refusedAt: recent.map(({ time }) => time), refusals: begun?.count ?? 0 };
}

/** Whether what is refused of the one is expected to be refused of the other, counts apart. */
function isAlike(refusal: RefusableWrite, write: RefusableWrite): boolean {
  return (
    refusal.direction === write.direction &&
    refusal.targetUid === write.targetUid &&
    refusal.version === write.version &&
    (refusal.wanted === write.wanted ||
      (typeof refusal.wanted === 'number' && typeof write.wanted === 'number'))
  );
}

/** Whether a write is one that has been refused so often that it waits after each time. */
function isOneMore(refusal: Refusal, write: RefusableWrite, { code }: RefusalReason): boolean {
  return refusal.backOff.begun !== null && refusal.code === code && isAlike(refusal, write);
}

/** A limit that refuses eight replicas may take six. */
function isNearer({ wanted, direction }: RefusableWrite, refusal: RefusableWrite): boolean {
  if (typeof wanted !== 'number' || typeof refusal.wanted !== 'number') return false;
  return direction === 'Up' ? wanted < refusal.wanted : wanted > refusal.wanted;
}

/** How long a write waits that was refused, or that is like one that was, in whole seconds; 0: not at all. */
export function refusalWaitSeconds(refusal: Refusal, write: RefusableWrite, now: number): number {
  const { begun } = refusal.backOff;
  if (begun === null || !isAlike(refusal, write) || isNearer(write, refusal)) return 0;
  return remainingSeconds(begun, refusal.direction, now);
}

/** What was refused, how often, since when, and when it is tried again. */
export function describeRefusal(refusal: Refusal): string {
  const { direction, backOff } = refusal;
  const { recent, begun } = backOff;
  const refused = describeCount(refusal);
  const last = parseInstant(recent.at(-1)?.time ?? '');
  if (begun === null || last === undefined) return refused;
  return `${refused}, next attempt at ${toMillisecondText(addSeconds(last, waitSeconds(begun, direction)))}`;
}

function describeCount({ message, since, backOff: { recent, begun } }: Refusal): string {
  const count = begun?.count ?? recent.length;
  return count === 1 ? message : `${message}; refused ${count} times since ${since}`;
}
