import type { NamespacedName } from '#kernel';
import { targetKeyOf } from '../policies/scale-target.ts';
import type { Moment } from '../ports/clock.port.ts';
import type { ReplicaChange } from '../ports/replica-changes.port.ts';
import type { PolicyRuntime } from '../runtime/policy-runtime.ts';
import type { LeftPolicy } from '../runtime/policy-runtimes.ts';

/** Between two attempts to complete the record of a policy that left, in milliseconds: each may ask the API server. */
const retryMilliseconds = 5_000;

/** A policy that left its target and whose record is not complete. */
export interface LeavingPolicy extends LeftPolicy {
  /** Why the record could not be completed yet; null: it was not tried. */
  waitsFor: string | null;
}

interface Entry extends LeavingPolicy {
  dueAt: number;
  isTrying: boolean;
}

/**
 * Policies that left their targets, until their last pass has ended, their write has its outcome and the changes of their
 * targets are recorded. Until then no other policy of the name or of the target begins; among those that left, the one
 * that left first ends first.
 */
export class LeavingPolicies {
  /** Those of a name or of a target, the first to leave first. */
  readonly #byPlace = new Map<string, Entry[]>();
  readonly #entries = new Set<Entry>();

  add(left: LeftPolicy): void {
    const entry = { ...left, waitsFor: null, dueAt: 0, isTrying: false };
    this.#entries.add(entry);
    for (const place of placesOf(left.runtime))
      this.#byPlace.set(place, [...(this.#byPlace.get(place) ?? []), entry]);
  }

  /** Whether a policy of the name is leaving. */
  has(key: string): boolean {
    return this.#byPlace.has(policyPlace(key));
  }

  /** Why the record of a policy of the name that left is not complete yet; null: none waits for anything that is known. */
  waitsFor(key: string): string | null {
    return this.#byPlace.get(policyPlace(key))?.[0]?.waitsFor ?? null;
  }

  /** Whether a policy of the name or of the target has not left yet. */
  isAwaitedBy(runtime: PolicyRuntime): boolean {
    return this.#entries.size > 0 && placesOf(runtime).some((place) => this.#byPlace.has(place));
  }

  /** Those to try at `now` (milliseconds of a clock that never goes back), each until {@link finish} or {@link putOff}. */
  takeDue(now: number): readonly LeavingPolicy[] {
    const due = [...this.#entries].filter((entry) => entry.dueAt <= now && this.#mayTry(entry));
    for (const entry of due) entry.isTrying = true;
    return due;
  }

  /** Tries again later. */
  putOff(leaving: LeavingPolicy, until: { readonly now: number; readonly waitsFor: string }): void {
    const entry = this.#entryOf(leaving);
    if (entry === undefined) return;
    entry.isTrying = false;
    entry.waitsFor = until.waitsFor;
    entry.dueAt = until.now + retryMilliseconds;
  }

  /**
   * Its record is complete.
   *
   * @returns the next policy to leave the same target, if there is one
   */
  finish(leaving: LeavingPolicy): PolicyRuntime | undefined {
    const entry = this.#entryOf(leaving);
    if (entry === undefined) return undefined;
    this.#entries.delete(entry);
    for (const place of placesOf(entry.runtime)) {
      const left = (this.#byPlace.get(place) ?? []).filter((other) => other !== entry);
      if (left.length === 0) this.#byPlace.delete(place);
      else this.#byPlace.set(place, left);
    }
    return this.#byPlace.get(targetPlaceOf(entry.runtime))?.[0]?.runtime;
  }

  /** Forgets those that another process goes on with. */
  giveAway(areMeant: (policy: NamespacedName) => boolean): void {
    for (const entry of this.#entries) if (areMeant(entry.runtime.active.policy)) this.finish(entry);
  }

  /** Gives a change that the watch saw to those that are leaving its target. */
  noteChange(change: ReplicaChange, now: Moment): void {
    for (const { runtime } of this.#byPlace.get(targetPlace(targetKeyOf(change.target))) ?? [])
      runtime.noteChange(change, now);
  }

  #mayTry(entry: Entry): boolean {
    if (entry.isTrying || entry.runtime.isBusy || entry.runtime.isAppendUnanswered) return false;
    return placesOf(entry.runtime).every((place) => this.#byPlace.get(place)?.[0] === entry);
  }

  #entryOf({ runtime }: LeavingPolicy): Entry | undefined {
    return this.#byPlace.get(targetPlaceOf(runtime))?.find((entry) => entry.runtime === runtime);
  }
}

function placesOf(runtime: PolicyRuntime): readonly string[] {
  return [policyPlace(runtime.key), targetPlaceOf(runtime)];
}

function policyPlace(key: string): string {
  return `policy ${key}`;
}

function targetPlaceOf({ target }: PolicyRuntime): string {
  return targetPlace(targetKeyOf(target));
}

function targetPlace(targetKey: string): string {
  return `target ${targetKey}`;
}
