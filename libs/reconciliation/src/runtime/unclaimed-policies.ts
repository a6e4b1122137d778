import { type NamespacedName, namespacedName } from '#kernel';
import type { PolicyState } from '#ledger';

/** Between two looks at the record, in milliseconds. */
const lookMilliseconds = 15_000;
/** How many are looked at at once: each asks the ledger, and a source whose policies come later may have thousands. */
const maximumPerLook = 64;

/**
 * States of policies that are not in force, and that have not left as far as the record says: they come yet, or what is in
 * force was ahead of the record when their states were read.
 */
export class UnclaimedPolicies {
  /** Those first that were looked at longest ago. */
  readonly #states = new Map<string, PolicyState>();
  #dueAt = 0;

  add(key: string, state: PolicyState): void {
    this.#states.set(key, state);
  }

  has(key: string): boolean {
    return this.#states.has(key);
  }

  /** Gives the state to a policy that came into force, or that left. */
  take(key: string): PolicyState | undefined {
    const state = this.#states.get(key);
    this.#states.delete(key);
    return state;
  }

  /** Forgets those that another process goes on with. */
  giveAway(areMeant: (policy: NamespacedName) => boolean): void {
    for (const [key, { policy }] of this.#states) if (areMeant(policy)) this.#states.delete(key);
  }

  /** Those whose record is to be looked at, at `now`, in milliseconds of a clock that never goes back. */
  takeDue(now: number): readonly PolicyState[] {
    if (now < this.#dueAt) return [];
    this.#dueAt = now + lookMilliseconds;
    const due = [...this.#states.values()].slice(0, maximumPerLook);
    for (const state of due) {
      const key = namespacedName(state.policy);
      this.#states.delete(key);
      this.#states.set(key, state);
    }
    return due;
  }
}
