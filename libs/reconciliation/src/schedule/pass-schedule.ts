import type { PassOutcome } from '../outcome/pass-outcome.ts';
import type { ReconcilePorts } from '../pass/pass.ts';
import type { ScheduledPolicy } from '../policies/scheduled-policy.ts';
import type { PolicyRuntime } from '../runtime/policy-runtime.ts';
import type { PolicyRuntimes } from '../runtime/policy-runtimes.ts';
import type { DuePass } from './begin-passes.ts';
import { DueTimes, type DueTimesOptions } from './due-times.ts';
import { hasExpiredHpa } from './expired-hpa.ts';
import { untilNextChange } from './until-next-change.ts';

/** How often it is looked whether an HPA that others keep from being deleted is gone. */
const leavingMilliseconds = 5_000;

/**
 * So long at most the passes of policies that were looked at an interval ago wait for those of policies that nobody has
 * looked at since their last process ended: thousands of them take some seconds.
 */
const longestDelayMilliseconds = 5_000;

/** What has waited for its place for so long waits behind what hangs, and keeps no other pass from being taken. */
const longestWaitMilliseconds = 60_000;

export interface PassScheduleOptions {
  readonly ports: Pick<ReconcilePorts, 'windows' | 'interventions' | 'nativeAutoscalers' | 'clock'>;
  readonly options: DueTimesOptions;
  readonly runtimes: PolicyRuntimes;
  /** Whether passes of the policy may begin. */
  readonly mayBegin: (runtime: PolicyRuntime) => boolean;
}

/** Which passes are due: each policy's once per interval, and early where something changes that does not wait for it. */
export class PassSchedule {
  readonly #options: PassScheduleOptions;
  readonly #dueTimes: DueTimes;
  /** When the passes that wait for their place were taken: a policy waits once for its interval, and once early. */
  readonly #waiting = {
    early: new WeakMap<PolicyRuntime, number>(),
    regular: new WeakMap<PolicyRuntime, number>(),
  };
  #hasTaken = false;
  /** Since when first passes wait for their place; null: none does. */
  #firstSince: number | null = null;
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
   * The passes that are due now, each once; one of a policy whose pass is under way comes after that, and none is taken
   * while another waits for its place: passes that take longer than their interval become fewer, and not a queue without
   * an end. At the start those of policies whose HPA says something that has ended meanwhile come first.
   */
  takeDue(): readonly DuePass[] {
    const due = this.#take(this.#now);
    if (this.#hasTaken) return due;
    this.#hasTaken = true;
    const { ports } = this.#options;
    const byExpiry = Map.groupBy(due, ({ runtime }) => hasExpiredHpa(ports, runtime.active.policy));
    return [...(byExpiry.get(true) ?? []), ...(byExpiry.get(false) ?? [])];
  }

  /** Notes that the place of a pass has come. @returns whether it may begin: nothing of the policy has begun meanwhile */
  leaveLine(pass: DuePass): boolean {
    const isFirst = this.#waitingAs(pass).delete(pass.runtime);
    if (pass.runtime.isBusy) this.#comeAfter(pass);
    return isFirst && !pass.runtime.isBusy;
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
    const begun = runtimes.all().filter(mayBegin);
    const scheduled = begun.map(({ schedule }) => schedule);
    const mayComeLater = this.#afterFirst(now);
    return this.#dueTimes.take(scheduled, now, mayComeLater).flatMap(({ key, isEarly }) => {
      const runtime = runtimes.get(key);
      if (runtime === undefined) return [];
      const pass = { runtime, isEarly, isFirst: runtime.outcome === null };
      if (!runtime.isBusy) return this.#enterLine(pass, now);
      this.#comeAfter(pass);
      return [];
    });
  }

  /**
   * First passes begin before regular ones that wait for the same metric sources: nobody has looked at their policies since
   * another process was killed. One that has waited for an interval waits no longer, and none for a source that hangs.
   */
  #afterFirst(now: number): (policy: ScheduledPolicy, lateMilliseconds: number) => boolean {
    const { runtimes } = this.#options;
    // Also those that are being restored: what they wait for is done by the same thread.
    const waiting = runtimes.all().filter(({ outcome, isBusy }) => outcome === null && !isBusy);
    this.#firstSince = waiting.length === 0 ? null : (this.#firstSince ?? now);
    if (this.#firstSince === null || now - this.#firstSince >= longestDelayMilliseconds) return () => false;
    const sources = new Set(waiting.map((runtime) => runtime.sources));
    return ({ key, intervalSeconds }, late) => {
      const runtime = runtimes.get(key);
      if (runtime === undefined || runtime.outcome === null || !sources.has(runtime.sources)) return false;
      return late < Math.min(intervalSeconds * 1_000, longestDelayMilliseconds);
    };
  }

  /** The pass under way may have looked before the change. */
  #comeAfter({ runtime, isEarly }: DuePass): void {
    if (isEarly) this.#dueTimes.hasten(runtime.key, this.#now);
  }

  #enterLine(pass: DuePass, now: number): readonly DuePass[] {
    const waiting = this.#waitingAs(pass);
    const since = waiting.get(pass.runtime);
    if (since !== undefined && now - since < longestWaitMilliseconds) return [];
    waiting.set(pass.runtime, now);
    return [pass];
  }

  #waitingAs({ isEarly }: DuePass): WeakMap<PolicyRuntime, number> {
    return isEarly ? this.#waiting.early : this.#waiting.regular;
  }
}

/** When to look whether the policy's HPA, which a pass deleted, is gone; null: none was, or it does not matter. */
function untilGone(outcome: PassOutcome | null): number | null {
  if (outcome?.reason === 'HpaDeleted') return 0;
  return outcome?.reason === 'HpaLeaving' ? leavingMilliseconds : null;
}
