import { spreadOf } from '#kernel';
import type { ScheduledPolicy } from '../policies/scheduled-policy.ts';

/** How passes are spread. */
export interface DueTimesOptions {
  /** Share of a policy's interval over which the passes of the namespaces are spread; 0 to 50. */
  readonly jitterPercent: number;
  /** Drawn once by the shell, so that two controllers spread the same namespaces differently. */
  readonly seed: string;
}

/** A policy that is due. */
export interface DuePolicy {
  readonly key: string;
  /** Its interval has not elapsed: something changed that does not wait for it. */
  readonly isEarly: boolean;
}

interface Slot {
  readonly intervalMilliseconds: number;
  /** By how much of its interval its namespace comes before the others. */
  readonly offset: number;
  version: string;
  dueAt: number;
  takenAt: number;
  /** When it is due although its interval has not elapsed; null: it waits for its interval. */
  hastenedAt: number | null;
}

/** A policy that came later than others of its namespace comes nearer to them by at least so much of its interval per pass. */
const leastShiftPercent = 10;

/** Changes that come faster than this are taken together. */
const coalescingMilliseconds = 1_000;

/**
 * When each policy is due. A namespace has its own place in the interval, so load is even and the same on every run with
 * one seed; its policies come to it by passes that begin somewhat early. There is no back-off, as upstream has none: a
 * policy that failed is due again after its interval.
 *
 * @see docs/spec/reconciliation.md
 */
export class DueTimes {
  readonly #options: DueTimesOptions;
  readonly #slots = new Map<string, Slot>();
  /** From which places are counted: when policies were taken first. */
  #begunAt: number | null = null;

  constructor(options: DueTimesOptions) {
    this.#options = options;
  }

  /**
   * The policies that are due at `now` (milliseconds of a clock that never goes back), each taken once: its next time is
   * set, skipping those that were missed. New policies are due now. New versions and hastened policies are due early.
   *
   * @param mayComeLater whether a policy that has been due for so long need not be taken yet
   */
  take(
    policies: readonly ScheduledPolicy[],
    now: number,
    mayComeLater: (policy: ScheduledPolicy, lateMilliseconds: number) => boolean = never,
  ): DuePolicy[] {
    this.#begunAt ??= now;
    const due: DuePolicy[] = [];
    for (const policy of policies) {
      const slot = this.#slotOf(policy, now);
      if (slot.dueAt <= now && !mayComeLater(policy, now - slot.dueAt)) {
        slot.dueAt = this.#nextAfter(slot, now);
        due.push(taken(slot, { key: policy.key, isEarly: false }, now));
      } else if (isHastened(slot, now)) {
        due.push(taken(slot, { key: policy.key, isEarly: true }, now));
      }
    }
    // By now each of them has a slot, so that any more are those of others.
    if (this.#slots.size > policies.length) this.#forgetAllBut(policies);
    return due;
  }

  /** Makes a policy due at that time, although its interval will not have elapsed; at most once per second. */
  hasten(key: string, at: number): void {
    const slot = this.#slots.get(key);
    if (slot !== undefined) slot.hastenedAt = Math.min(slot.hastenedAt ?? at, at);
  }

  /** Makes a policy due now, however short ago it was taken. */
  demand(key: string, now: number): void {
    const slot = this.#slots.get(key);
    if (slot === undefined) return;
    slot.hastenedAt = now;
    slot.takenAt = -Infinity;
  }

  #slotOf(policy: ScheduledPolicy, now: number): Slot {
    const slot = this.#slots.get(policy.key);
    if (slot?.version === policy.version) return slot;
    const intervalMilliseconds = policy.intervalSeconds * 1000;
    if (slot?.intervalMilliseconds === intervalMilliseconds) {
      slot.version = policy.version;
      slot.hastenedAt = now;
      return slot;
    }
    const fresh = this.#freshSlot(policy, now, slot);
    this.#slots.set(policy.key, fresh);
    return fresh;
  }

  #freshSlot(policy: ScheduledPolicy, now: number, before: Slot | undefined): Slot {
    const intervalMilliseconds = policy.intervalSeconds * 1000;
    const fresh = {
      intervalMilliseconds,
      offset: this.#offsetOf(policy),
      version: policy.version,
      dueAt: now,
      takenAt: -Infinity,
      hastenedAt: null,
    };
    if (before === undefined) return fresh;
    // Another interval: it begins now, but the pass that was planned before is not put off.
    const next = Math.min(before.dueAt, this.#nextAfter(fresh, now));
    return { ...fresh, dueAt: next, takenAt: before.takenAt, hastenedAt: now };
  }

  /** An interval later, those that were missed skipped, or earlier where that is nearer to the place of its namespace. */
  #nextAfter({ dueAt, intervalMilliseconds, offset }: Slot, now: number): number {
    const passed = Math.floor((now - dueAt) / intervalMilliseconds) + 1;
    const next = dueAt + passed * intervalMilliseconds;
    const behind = modulo(next - (this.#begunAt ?? now) + offset, intervalMilliseconds);
    const percent = Math.max(leastShiftPercent, this.#options.jitterPercent);
    const earlier = next - Math.min(behind, (intervalMilliseconds * percent) / 100);
    return earlier > now ? earlier : next;
  }

  #offsetOf({ namespace, intervalSeconds }: ScheduledPolicy): number {
    const { jitterPercent, seed } = this.#options;
    return Math.floor(spreadOf(seed + namespace) * intervalSeconds * 10 * jitterPercent);
  }

  #forgetAllBut(policies: readonly ScheduledPolicy[]): void {
    const kept = new Set(policies.map(({ key }) => key));
    for (const key of this.#slots.keys()) if (!kept.has(key)) this.#slots.delete(key);
  }
}

function never(): boolean {
  return false;
}

function isHastened({ hastenedAt, takenAt }: Slot, now: number): boolean {
  return hastenedAt !== null && hastenedAt <= now && now - takenAt >= coalescingMilliseconds;
}

/** A hastening for later stays. */
function taken(slot: Slot, due: DuePolicy, now: number): DuePolicy {
  slot.takenAt = now;
  if (slot.hastenedAt !== null && slot.hastenedAt <= now) slot.hastenedAt = null;
  return due;
}

/** The remainder from 0 to the divisor, of negative numbers too. */
function modulo(value: number, divisor: number): number {
  return ((value % divisor) + divisor) % divisor;
}
