import { hasExpiredHpa } from '../hpa/expired-hpa.ts';
import type { PassOutcome } from '../outcome/pass-outcome.ts';
import type { DuePass } from './begin-passes.ts';
import { DueTimes, type DueTimesOptions } from './due-times.ts';
import type { ReconcilePorts } from './pass.ts';
import type { PolicyRuntime } from './policy-runtime.ts';
import type { PolicyRuntimes } from './policy-runtimes.ts';
import { untilNextChange } from './until-next-change.ts';

/** How often it is looked whether an HPA that others keep from being deleted is gone. */
const leavingMilliseconds = 5_000;

export interface PassScheduleOptions {
  readonly ports: ReconcilePorts;
  readonly options: DueTimesOptions;
  readonly runtimes: PolicyRuntimes;
  /** Whether passes of the policy may begin. */
  readonly mayBegin: (runtime: PolicyRuntime) => boolean;
}

/** Which passes are due: each policy's once per interval, and early where something changes that does not wait for it. */
export class PassSchedule {
  readonly #options: PassScheduleOptions;
  readonly #dueTimes: DueTimes;
  #hasTaken = false;
  #onHastened: () => void = () => undefined;

  constructor(options: PassScheduleOptions) {
    this.#options = options;
    this.#dueTimes = new DueTimes(options.options);
  }

  /** Calls the listener when a policy is due before the next sweep would come; it returns at once. */
  onHastened(listener: () => void): void {
    this.#onHastened = listener;
  }

  /**
   * The passes that are due now, each once; one of a policy whose pass is under way comes after that. At the start those
   * of policies whose HPA says something that has ended meanwhile come first.
   */
  takeDue(): readonly DuePass[] {
    const due = this.#take(this.#now);
    if (this.#hasTaken) return due;
    this.#hasTaken = true;
    const { ports } = this.#options;
    const byExpiry = Map.groupBy(due, ({ runtime }) => hasExpiredHpa(ports, runtime.active.policy));
    return [...(byExpiry.get(true) ?? []), ...(byExpiry.get(false) ?? [])];
  }

  /** Makes a policy due soon, at most once per second. */
  hasten({ key }: PolicyRuntime): void {
    this.#dueTimes.hasten(key, this.#now);
    this.#onHastened();
  }

  /** Makes policies due now, however short ago their last pass was. */
  demand(runtimes: readonly PolicyRuntime[]): void {
    const now = this.#now;
    for (const { key } of runtimes) this.#dueTimes.demand(key, now);
    if (runtimes.length > 0) this.#onHastened();
  }

  /** A pass when a window begins or ends, an intervention expires, or an HPA that was deleted is gone. */
  awaitChange({ key, active, outcome }: PolicyRuntime): void {
    const { ports } = this.#options;
    const change = untilNextChange(ports, active);
    if (change !== null) this.#dueTimes.hasten(key, this.#now + change);
    const gone = untilGone(outcome);
    if (gone !== null) this.#dueTimes.hasten(key, this.#now + gone);
  }

  get #now(): number {
    return this.#options.ports.clock.monotonicMilliseconds();
  }

  #take(now: number): readonly DuePass[] {
    const { runtimes, mayBegin } = this.#options;
    const scheduled = runtimes
      .all()
      .filter(mayBegin)
      .map(({ schedule }) => schedule);
    return this.#dueTimes.take(scheduled, now).flatMap(({ key, isEarly }) => {
      const runtime = runtimes.get(key);
      if (runtime?.isBusy === false) return [{ runtime, isEarly }];
      // The pass under way may have looked before the change.
      if (isEarly) this.#dueTimes.hasten(key, now);
      return [];
    });
  }
}

/** When to look whether the policy's HPA, which a pass deleted, is gone; null: none was, or it does not matter. */
function untilGone(outcome: PassOutcome | null): number | null {
  if (outcome?.reason === 'HpaDeleted') return 0;
  return outcome?.reason === 'HpaLeaving' ? leavingMilliseconds : null;
}
