import type { RecordedContest } from '#ledger';
import type { Moment } from '../ports/clock.port.ts';
import {
  type BackOff,
  backOffAfter,
  backOffAt,
  type Direction,
  noBackOff,
  remainingSeconds,
  restoredBackOff,
} from './back-off.ts';

/** A change of the target's replicas, as the watch reports it. */
export interface ContestedChange {
  readonly from: number;
  readonly to: number;
  readonly isOwn: boolean;
  /** The field manager; null: not known. */
  readonly manager: string | null;
}

/** Others undo what Plimsoll writes. */
export interface ContestState {
  /** Who undid the last write; null: not known. */
  readonly manager: string | null;
  /** Reversals since the contest began, those that began it included. */
  readonly reversals: number;
  /** When the last one was seen, in milliseconds of a clock that never goes back. */
  readonly lastAt: number;
}

/**
 * Notices that others undo what Plimsoll writes: a change right after a write of ours that goes back the other way. While
 * it lasts (the same goes for what is rendered into an HPA), our writes wait for 1, 2, 4 and then 5 minutes after each
 * reversal; one that scales up for a minute at most. A restart goes on from what {@link recorded} says.
 */
export class Contest {
  /** Our write, where it was the last change. */
  #write: { readonly from: number; readonly to: number } | null = null;
  /** The change of the policy's HPA that was noted last. */
  #drift: string | null = null;
  #backOff: BackOff = noBackOff;
  /** Who undid the last write; null: not known. */
  #manager: string | null = null;
  /** Undefined: something has changed since. */
  #recorded: RecordedContest | null | undefined = null;

  /** Takes a change. */
  note({ from, to, isOwn, manager }: ContestedChange, now: Moment): void {
    const write = this.#write;
    this.#write = isOwn ? { from, to } : null;
    if (write !== null || isOwn) this.#recorded = undefined;
    if (isOwn || write === null || !isReversal(write, { from, to })) return;
    this.#noteReversal(manager, now);
  }

  /**
   * Takes a change by others of what Plimsoll rendered, once until it is corrected.
   *
   * @param change what tells one change from another
   */
  noteDrift(change: string, manager: string | null, now: Moment): void {
    if (change === this.#drift) return;
    const isCorrected = this.#drift === null;
    this.#drift = change;
    if (isCorrected) this.#noteReversal(manager, now);
    else this.#noteManager(manager);
  }

  /** What others changed of it is as it should be again. */
  endDrift(): void {
    if (this.#drift !== null) this.#recorded = undefined;
    this.#drift = null;
  }

  /** Further changes of what is not corrected yet undo nothing more: they do not put the correction off. */
  #noteManager(manager: string | null): void {
    this.#manager = manager;
    this.#recorded = undefined;
  }

  #noteReversal(manager: string | null, now: Moment): void {
    this.#backOff = backOffAfter(this.#backOff, now);
    this.#noteManager(manager);
  }

  /** The contest at a time, in milliseconds of a clock that never goes back; null: there is none. */
  at(now: number): ContestState | null {
    const backOff = backOffAt(this.#backOff, now);
    if (backOff !== this.#backOff) this.#recorded = undefined;
    this.#backOff = backOff;
    const { begun } = backOff;
    return begun && { manager: this.#manager, reversals: begun.count, lastAt: begun.lastAt };
  }

  /** What a restart goes on from, the same object until it changes; null: nothing was written or undone. */
  get recorded(): RecordedContest | null {
    this.#recorded ??= this.#record();
    return this.#recorded;
  }

  #record(): RecordedContest | null {
    const { recent, begun } = this.#backOff;
    if (this.#write === null && this.#drift === null && recent.length === 0) return null;
    return {
      write: this.#write,
      drift: this.#drift,
      reversedAt: recent.map(({ time }) => time),
      manager: begun === null ? null : this.#manager,
      reversals: begun?.count ?? 0,
    };
  }

  /** Goes on where another process stopped. What a clock that was set back puts into the future counts as of now. */
  restore(recorded: RecordedContest | null, now: Moment): void {
    const { write, drift, reversedAt, manager, reversals } = recorded ?? nothingUndone;
    this.#recorded = recorded;
    this.#write = write;
    this.#drift = drift;
    this.#manager = manager;
    this.#backOff = restoredBackOff(reversedAt, reversals, now);
  }
}

const nothingUndone: RecordedContest = {
  write: null,
  drift: null,
  reversedAt: [],
  manager: null,
  reversals: 0,
};

function isReversal(
  write: { readonly from: number; readonly to: number },
  change: { readonly from: number; readonly to: number },
): boolean {
  return change.from === write.to && Math.sign(change.to - change.from) === Math.sign(write.from - write.to);
}

/** How long a write in a direction still waits, in whole seconds; 0: not at all. */
export function contestWaitSeconds(
  { reversals: count, lastAt }: ContestState,
  direction: Direction,
  now: number,
): number {
  return remainingSeconds({ count, lastAt }, direction, now);
}

/** What is written, and undone: the count of the scale, or the policy's HPA. */
export type Contested = 'Scale' | 'Hpa';

/** Who contests, and what to do about it. */
export function describeContest(state: ContestState, contested: Contested): string {
  const by = nameOf(state);
  const cures = {
    Scale: `let one of the two set spec.replicas: leave it out of what ${by} applies`,
    Hpa: 'stop what applies the HPA',
  };
  return `${state.reversals} writes of Plimsoll were undone, the last by ${by}; ${cures[contested]}, or disable the policy`;
}

function nameOf({ manager }: ContestState): string {
  return manager ?? 'a manager that managedFields do not name';
}
