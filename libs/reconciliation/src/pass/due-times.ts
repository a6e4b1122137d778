import { spreadOf } from '#kernel';

/** How passes are spread. */
export interface DueTimesOptions {
  /** Share of a policy's interval over which passes are spread; 0 to 50. */
  readonly jitterPercent: number;
  /** Drawn once by the shell, so that two controllers spread the same names differently. */
  readonly seed: string;
}

/** A policy as the schedule sees it. */
export interface ScheduledPolicy {
  readonly key: string;
  readonly intervalSeconds: number;
  /** Another value is a new version of the policy, and is due at once. */
  readonly version: string;
}

/** A policy that is due. */
export interface DuePolicy {
  readonly key: string;
  /** Its interval has not elapsed: something changed that does not wait for it. */
  readonly isEarly: boolean;
}

interface Slot {
  readonly intervalMilliseconds: number;
  version: string;
  dueAt: number;
  takenAt: number;
  /** When it is due although its interval has not elapsed; null: it waits for its interval. */
  hastenedAt: number | null;
}

/** Changes that come faster than this are taken together. */
const coalescingMilliseconds = 1_000;

/**
 * When each policy is due. A policy keeps its own place in the interval, so load is even and the same on every run with
 * one seed; there is no back-off, as upstream has none: a policy that failed is due again after its interval.
 *
 * @see docs/spec/reconciliation.md
 */
export class DueTimes {
  readonly #options: DueTimesOptions;
  readonly #slots = new Map<string, Slot>();
  #hasStarted = false;

  constructor(options: DueTimesOptions) {
    this.#options = options;
  }

  /**
   * The policies that are due at `now` (milliseconds of a clock that never goes back), each taken once: its next time is
   * set, skipping those that were missed. New policies are due now; at the very first tick within the jitter, so that
   * a start does not ask everything at one moment. New versions and hastened policies are due early.
   */
  take(policies: readonly ScheduledPolicy[], now: number): DuePolicy[] {
    const isStart = !this.#hasStarted;
    this.#hasStarted = true;
    const due: DuePolicy[] = [];
    for (const policy of policies) {
      const slot = this.#slotOf(policy, { now, isStart });
      if (slot.dueAt <= now) {
        slot.dueAt = nextAfter(slot, now);
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

  #slotOf(policy: ScheduledPolicy, tick: { readonly now: number; readonly isStart: boolean }): Slot {
    const slot = this.#slots.get(policy.key);
    if (slot?.version === policy.version) return slot;
    const intervalMilliseconds = policy.intervalSeconds * 1000;
    if (slot?.intervalMilliseconds === intervalMilliseconds) {
      slot.version = policy.version;
      slot.hastenedAt = tick.now;
      return slot;
    }
    const fresh = this.#freshSlot(policy, tick, slot);
    this.#slots.set(policy.key, fresh);
    return fresh;
  }

  #freshSlot(
    policy: ScheduledPolicy,
    { now, isStart }: { readonly now: number; readonly isStart: boolean },
    before: Slot | undefined,
  ): Slot {
    const intervalMilliseconds = policy.intervalSeconds * 1000;
    const offset = this.#offsetOf(policy);
    // After its first pass at once a policy takes its own place, or a commit's policies would stay together for ever.
    const dueAt = isStart ? now + offset : now - offset;
    const fresh = {
      intervalMilliseconds,
      version: policy.version,
      dueAt,
      takenAt: -Infinity,
      hastenedAt: null,
    };
    if (before === undefined) return fresh;
    // Another interval: it begins now, but the pass that was planned before is not put off.
    const next = Math.min(before.dueAt, nextAfter(fresh, now));
    return { ...fresh, dueAt: next, takenAt: before.takenAt, hastenedAt: now };
  }

  #offsetOf({ key, intervalSeconds }: ScheduledPolicy): number {
    const { jitterPercent, seed } = this.#options;
    return Math.floor(spreadOf(seed + key) * intervalSeconds * 10 * jitterPercent);
  }

  #forgetAllBut(policies: readonly ScheduledPolicy[]): void {
    const kept = new Set(policies.map(({ key }) => key));
    for (const key of this.#slots.keys()) if (!kept.has(key)) this.#slots.delete(key);
  }
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

function nextAfter({ dueAt, intervalMilliseconds }: Slot, now: number): number {
  const passed = Math.floor((now - dueAt) / intervalMilliseconds) + 1;
  return dueAt + passed * intervalMilliseconds;
}
