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

const minute = 60_000;
/** So many reversals within so long begin a contest. */
const beginningReversals = 3;
const beginningMilliseconds = 10 * minute;
/** So long without a reversal ends it. */
const endingMilliseconds = 60 * minute;
const longestWaitMilliseconds = 5 * minute;
/** More load is never kept waiting for longer. */
const longestWaitUpMilliseconds = minute;

/**
 * Notices that others undo what Plimsoll writes: a change right after a write of ours that goes back the other way. While
 * it lasts (the same goes for what is rendered into an HPA), our writes wait for 1, 2, 4 and then 5 minutes after each reversal; one that scales up for a minute at most.
 * It is kept in memory: a restart begins without a contest.
 */
export class Contest {
  /** Our write, where it was the last change. */
  #write: { readonly from: number; readonly to: number } | null = null;
  /** The change of the policy's HPA that was noted last. */
  #drift: string | null = null;
  #recent: readonly number[] = [];
  #state: ContestState | null = null;

  /** Takes a change, at a time of a clock that never goes back. */
  note({ from, to, isOwn, manager }: ContestedChange, now: number): void {
    const write = this.#write;
    this.#write = isOwn ? { from, to } : null;
    if (isOwn || write === null || !isReversal(write, { from, to })) return;
    this.#noteReversal(manager, now);
  }

  /**
   * Takes a change by others of what Plimsoll rendered, once until it is corrected.
   *
   * @param change what tells one change from another
   */
  noteDrift(change: string, manager: string | null, now: number): void {
    if (change === this.#drift) return;
    this.#drift = change;
    this.#noteReversal(manager, now);
  }

  /** What others changed of it is corrected. */
  endDrift(): void {
    this.#drift = null;
  }

  #noteReversal(manager: string | null, now: number): void {
    this.#recent = [...this.#recent.filter((at) => now - at < beginningMilliseconds), now];
    const open = this.at(now);
    if (open !== null) this.#state = { manager, reversals: open.reversals + 1, lastAt: now };
    else if (this.#recent.length >= beginningReversals)
      this.#state = { manager, reversals: this.#recent.length, lastAt: now };
  }

  /** The contest at a time; null: there is none. */
  at(now: number): ContestState | null {
    if (this.#state !== null && now - this.#state.lastAt >= endingMilliseconds) this.#state = null;
    return this.#state;
  }
}

function isReversal(
  write: { readonly from: number; readonly to: number },
  change: { readonly from: number; readonly to: number },
): boolean {
  return change.from === write.to && Math.sign(change.to - change.from) === Math.sign(write.from - write.to);
}

/** How long a write in a direction still waits, in whole seconds; 0: not at all. */
export function contestWaitSeconds(
  { reversals, lastAt }: ContestState,
  direction: 'Up' | 'Down',
  now: number,
): number {
  const longest = direction === 'Up' ? longestWaitUpMilliseconds : longestWaitMilliseconds;
  const wait = Math.min(minute * 2 ** Math.max(0, reversals - beginningReversals), longest);
  return Math.max(0, Math.ceil((lastAt + wait - now) / 1_000));
}

/** Who contests, and what to do about it. */
export function describeContest(state: ContestState): string {
  const by = nameOf(state);
  return `${describeReversals(state)}; let one of the two set spec.replicas: leave it out of what ${by} applies, or disable the policy`;
}

/** What was undone, and by whom. */
export function describeReversals(state: ContestState): string {
  return `${state.reversals} writes of Plimsoll were undone, the last by ${nameOf(state)}`;
}

function nameOf({ manager }: ContestState): string {
  return manager ?? 'a manager that managedFields do not name';
}
