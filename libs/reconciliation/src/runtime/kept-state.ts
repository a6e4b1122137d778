import type { DecideOutput, Memory } from '#decision';
import { shareParts } from '#kernel';
import type { LastDecision, OpenRun, PolicyState, RecordedStrategy, RunEnd } from '#ledger';
import { type Moment, monotonicAt } from '../ports/clock.port.ts';
import { nothingRecorded } from '../strategy/strategy-changes.ts';
import { isRepetition, storedPartOf, type StoredState } from './stored-state.ts';

/**
 * What the next decision on a policy, and its record, go on from. Memory goes on with each pass; the rest with what has
 * become durable.
 */
export class KeptState {
  #memory: Memory = {};
  #openRun: OpenRun | null = null;
  #lastDecision: LastDecision | null = null;
  #strategy: RecordedStrategy = nothingRecorded;
  /** Null: not known. */
  #stored: StoredState | null = null;
  #runEnd: RunEnd | null = null;
  /** When the target was last decided on; null: never. */
  #decidedAt: Moment | null = null;
  /** Uid of the object that it was; null: not known. */
  #decidedOn: string | null = null;

  /** What the next decision begins with. */
  get memory(): Memory {
    return this.#memory;
  }

  get openRun(): OpenRun | null {
    return this.#openRun;
  }

  get lastDecision(): LastDecision | null {
    return this.#lastDecision;
  }

  /** What the next StrategyChange is derived from. */
  get strategy(): RecordedStrategy {
    return this.#strategy;
  }

  /** Memory goes on where nothing can be stored: a window that forgets recommendations meanwhile would shrink. */
  remember(memory: Memory): void {
    this.#memory = memory;
  }

  /** Notes that the memory is of a decision on a scale that was read, by a policy that is enabled. */
  noteDecided(now: Moment, targetUid: string): void {
    this.#decidedAt = now;
    this.#decidedOn = targetUid;
  }

  /** Whether the memory is of decisions on another object: the target was made anew, or the policy had another target. */
  isOfAnother(targetUid: string): boolean {
    return this.#decidedOn !== null && this.#decidedOn !== targetUid;
  }

  /**
   * For how long nobody has decided on the target, in milliseconds; 0 where nobody ever has. By the clock on which it is
   * longer: windows are counted by the time of day, and a clock that is set forward ends them, too.
   */
  undecidedMilliseconds(now: Moment): number {
    const since = this.#decidedAt;
    if (since === null) return 0;
    const passed = now.monotonicMilliseconds - since.monotonicMilliseconds;
    return Math.max(passed, now.monotonicMilliseconds - monotonicAt(since.time, now));
  }

  /** By how much the time of day has gone on beyond the monotonic clock since the latest decision, in milliseconds. */
  clockJumpMilliseconds(now: Moment): number {
    const since = this.#decidedAt;
    return since === null ? 0 : since.monotonicMilliseconds - monotonicAt(since.time, now);
  }

  /** Takes what has become durable. Memory is not among it: it may have gone on since. */
  commit(state: PolicyState): void {
    this.goOn(state);
    this.noteStored(state);
  }

  /** Takes what follows from the durable state by repetition. */
  goOn({ openRun, lastDecision, strategy }: PolicyState): void {
    this.#openRun = shareParts(this.#openRun, openRun);
    this.#lastDecision = lastDecision;
    this.#strategy = shareParts(this.#strategy, strategy ?? this.#strategy);
  }

  /** A decision and its memory with the parts that they have in common with those that are kept. */
  share({ decision, memory }: DecideOutput): DecideOutput {
    return {
      decision: shareParts(this.#lastDecision?.decision, decision),
      memory: shareParts(this.#memory, memory),
    };
  }

  /** The latest decision came from the journal of an outage, and has its number now; null: there was none. */
  noteDecisionId(entry: string | null): void {
    if (entry !== null && this.#lastDecision !== null) this.#lastDecision = { ...this.#lastDecision, entry };
  }

  /** Notes what `policy_state` holds now. */
  noteStored(state: PolicyState): void {
    this.#stored = storedPartOf(state);
  }

  /** Whether a state of the policy without new entries need not be stored, since it only repeats what is. */
  isRepetition(key: string, state: PolicyState): boolean {
    return this.#stored !== null && isRepetition(key, this.#stored, state);
  }

  /** Notes what the decision that the open run ends with was decided by. */
  noteRunEnd(end: RunEnd): void {
    this.#runEnd = end;
  }

  /** Null: not known, as after a start. */
  get runEnd(): RunEnd | null {
    const isLast = this.#runEnd?.decision === this.#lastDecision?.decision;
    return isLast ? this.#runEnd : null;
  }

  /** Goes on where the last process stopped. */
  restore(state: PolicyState, now: Moment): void {
    this.#memory = state.memory;
    this.#stored = null;
    this.#runEnd = null;
    this.#openRun = state.openRun;
    this.#lastDecision = state.lastDecision;
    this.#strategy = strategyOfState(state);
    const isDisabled = this.#strategy.enabled === 'false';
    const monotonicMilliseconds = isDisabled ? -Infinity : monotonicAt(state.updatedAt, now);
    this.#decidedAt = { time: state.updatedAt, monotonicMilliseconds };
    this.#decidedOn = this.#strategy.targetUid ?? null;
  }
}

/** A release that recorded no strategy remembered the selection; one that recorded no target, its account. */
function strategyOfState({ strategy, memory, account }: PolicyState): RecordedStrategy {
  const targetUid = account?.uid ?? null;
  if (strategy !== null) return { ...strategy, targetUid: strategy.targetUid ?? targetUid };
  return { ...nothingRecorded, selectionStrategy: memory.selectionStrategy ?? null, targetUid };
}
