import { isSameVersion } from '../outcome/version-end.ts';
import type { ActivePolicy } from '../policies/active-policy.ts';
import { longestAwaitedSeconds } from './loss-wait.ts';

/** What a target's count depends on beside its metrics. */
export interface TargetRules {
  readonly version: ActivePolicy;
  /** Bounds with windows and overrides, and whether metrics may take replicas away: equal where they are the same. */
  readonly limits: string;
}

/** What one source's metrics ask for on one target, and what the target has. */
export interface TargetSample {
  /** `spec.replicas`. */
  readonly replicas: number;
  /** The lowest count that the target may have; the proposal counts within it. */
  readonly minReplicas: number;
  /** The highest of the metrics of the source, before any rule acts on it; null: they say nothing of a loss. */
  readonly proposal: number | null;
  /** Where they change, a loss may come of that. */
  readonly rules: TargetRules;
  /** The policy has decided before. What a new policy takes away, a commit allowed. */
  readonly hasDecided: boolean;
}

/** A count that a target had. */
interface SeenCount {
  readonly at: number;
  readonly replicas: number;
}

interface TargetRecord {
  /** Those that no later one reaches, by time: the first is the highest of the window. */
  readonly counts: SeenCount[];
  rules: TargetRules;
  /** Its loss may come of changed rules: it counts again once it loses nothing. */
  isExcused: boolean;
  /** Null: it loses nothing. */
  losingSince: number | null;
  /** Whether it is one of those that lose now. */
  isCounted: boolean;
  at: number;
}

/** What is kept of all targets is looked through so often. */
const lookThroughMilliseconds = 1_000;

/** A target that was not looked at for so long is decided by this source no more: others must not wait for it. */
const longestOverdueMilliseconds = 2 * longestAwaitedSeconds * 1_000;

const unseen = { isExcused: false, losingSince: null, isCounted: false };

/**
 * Which targets one source of metrics would take a share of their replicas from, against their highest count of a window.
 * A target that was not looked at for twice the window counts no more; it is forgotten once it was not looked at for twice
 * the interval of its policy, either.
 */
export class TargetLosses {
  readonly #windowMilliseconds: number;
  readonly #targets = new Map<string, TargetRecord>();
  #losing = 0;
  #prunedAt = 0;
  #looked: { readonly at: number; readonly until: number } | null = null;

  constructor(windowMilliseconds: number) {
    this.#windowMilliseconds = windowMilliseconds;
  }

  /** Targets that would lose so much now. */
  get losing(): number {
    return this.#losing;
  }

  /**
   * Takes a sample of a target at `now`, in milliseconds of a clock that never goes back; `share` is from 0 to 1.
   *
   * @returns since when it would lose so much, on the same clock; null: it does not
   */
  note(target: string, sample: TargetSample, { now, share }: { now: number; share: number }): number | null {
    const known = this.#targets.get(target);
    const record = known ?? { ...unseen, counts: [], rules: sample.rules, at: now };
    const isChanged = known === undefined ? !sample.hasDecided : !isSame(known.rules, sample.rules);
    const loses = wouldLose(sample, this.#highest(record, sample.replicas, now), share);
    const isExcused = loses && (isChanged || record.isExcused);
    const losingSince = loses && !isExcused ? (record.losingSince ?? now) : null;
    this.#count(record, losingSince !== null);
    // Equal ones stay, so that what is kept is not made anew by each pass.
    if (!areEqual(record.rules, sample.rules)) record.rules = sample.rules;
    record.isExcused = isExcused;
    record.losingSince = losingSince;
    record.at = now;
    if (known === undefined) this.#targets.set(target, record);
    this.prune(now);
    return losingSince;
  }

  /**
   * Until when each target was looked at at least once per interval of its policy, on the clock of {@link note}: not
   * later, and up to a second less. Those of which nothing is known yet do not count, nor do intervals that are not waited
   * for.
   */
  lookedUntil(now: number): number {
    if (this.#looked !== null && now - this.#looked.at < lookThroughMilliseconds) return this.#looked.until;
    let until = now;
    for (const { at, rules } of this.#targets.values()) {
      const { intervalSeconds } = rules.version.policy;
      const isAwaited = intervalSeconds <= longestAwaitedSeconds && now - at < longestOverdueMilliseconds;
      if (isAwaited) until = Math.min(until, at + intervalSeconds * 1_000);
    }
    this.#looked = { at: now, until };
    return until;
  }

  /** Counts no more the targets that were not looked at for twice the window, and forgets those that were to be. */
  prune(now: number): void {
    if (now - this.#prunedAt < this.#windowMilliseconds) return;
    this.#prunedAt = now;
    for (const [target, record] of this.#targets) {
      const age = now - record.at;
      if (age < 2 * this.#windowMilliseconds) continue;
      this.#count(record, false);
      // What comes to a target of a long interval next has to find since when it loses.
      if (age >= 2 * record.rules.version.policy.intervalSeconds * 1_000) this.#forget(target);
    }
  }

  /** Forgets all other targets. */
  retain(targets: ReadonlySet<string>): void {
    for (const target of this.#targets.keys()) if (!targets.has(target)) this.#forget(target);
  }

  #forget(target: string): void {
    const record = this.#targets.get(target);
    if (record !== undefined) this.#count(record, false);
    this.#targets.delete(target);
  }

  #count(record: TargetRecord, isCounted: boolean): void {
    this.#losing += Number(isCounted) - Number(record.isCounted);
    record.isCounted = isCounted;
  }

  #highest({ counts }: TargetRecord, replicas: number, now: number): number {
    while ((counts.at(-1)?.replicas ?? Infinity) <= replicas) counts.pop();
    while ((counts[0]?.at ?? now) <= now - this.#windowMilliseconds) counts.shift();
    counts.push({ at: now, replicas });
    return counts[0]?.replicas ?? replicas;
  }
}

function areEqual(one: TargetRules, other: TargetRules): boolean {
  return one.limits === other.limits && one.version === other.version;
}

/** Whether they say the same; another version may. */
function isSame(one: TargetRules, other: TargetRules): boolean {
  return one.limits === other.limits && isSameVersion(one.version, other.version);
}

function wouldLose({ minReplicas, proposal }: TargetSample, highest: number, share: number): boolean {
  if (proposal === null) return false;
  const lost = highest - Math.max(proposal, minReplicas);
  return lost > 0 && lost >= highest * share;
}
