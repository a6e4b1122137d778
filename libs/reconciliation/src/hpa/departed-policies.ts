import { type NamespacedName, namespacedName } from '#kernel';
import type { PolicyState } from '#ledger';
import type { Moment } from '../ports/clock.port.ts';
import { nothingRecorded } from '../strategy/strategy-changes.ts';
import { type BackOff, backOffAfter, noBackOff, waitSeconds } from '../write/back-off.ts';
import { sealedHpa } from './follow-hpa.ts';

/** Between two attempts to let go of one, in milliseconds: until the departure is recorded, or the API server answers. */
const retryMilliseconds = 15_000;

interface Departed {
  state: PolicyState;
  /** In milliseconds of a clock that never goes back. */
  dueAt: number;
  isOutOfReach: boolean;
  /** Of the deletion of its HPA. */
  failures: BackOff;
  kept: KeptHpa | null;
}

/** Why the HPA of a policy that left is still there, though it is to go. */
export interface KeptHpa {
  readonly message: string;
  /** Since when, as this process knows; RFC 3339. */
  readonly since: string;
}

/**
 * Policies that are not in force any more and whose HPA is still to be let go of, or whose write has no outcome yet.
 * Their states stay in `policy_state` until then.
 */
export class DepartedPolicies {
  readonly #states = new Map<string, Departed>();

  /** Notes a policy that left. */
  add(state: PolicyState): void {
    const departed = { state, dueAt: 0, isOutOfReach: false, failures: noBackOff, kept: null };
    this.#states.set(namespacedName(state.policy), departed);
  }

  has(key: string): boolean {
    return this.#states.has(key);
  }

  /** Replaces the state of a policy whose HPA is still to be let go of. */
  replace(key: string, state: PolicyState): void {
    const departed = this.#states.get(key);
    if (departed !== undefined) departed.state = state;
  }

  /** Its HPA was not deleted, or is not gone yet. */
  noteKept(key: string, message: string, { time: since }: Moment): void {
    const departed = this.#states.get(key);
    if (departed !== undefined) departed.kept = { message, since: departed.kept?.since ?? since };
  }

  /** The deletion of its HPA failed, which from the third time on waits as a write that scales down does. */
  noteFailure(key: string, now: Moment): void {
    const departed = this.#states.get(key);
    if (departed === undefined) return;
    departed.failures = backOffAfter(departed.failures, now);
    const { begun } = departed.failures;
    if (begun !== null) departed.dueAt = begun.lastAt + waitSeconds(begun, 'Down') * 1_000;
  }

  /** Why its HPA is still there; null: nothing is known to keep it. */
  keptHpaOf(key: string): KeptHpa | null {
    return this.#states.get(key)?.kept ?? null;
  }

  /** The policies whose HPAs should be gone, and are not. */
  listKept(): readonly (NamespacedName & KeptHpa)[] {
    return [...this.#states.values()].flatMap(({ state: { policy }, kept }) =>
      kept === null ? [] : [{ namespace: policy.namespace, name: policy.name, ...kept }],
    );
  }

  /** Its HPA is in a namespace that is not managed, which stays so as long as the process runs: it is not due any more. */
  leaveOutOfReach(key: string): void {
    const departed = this.#states.get(key);
    if (departed !== undefined) departed.isOutOfReach = true;
  }

  /** The policies whose HPAs are out of reach. */
  listOutOfReach(): readonly NamespacedName[] {
    return [...this.#states.values()].flatMap(({ state, isOutOfReach }) =>
      isOutOfReach ? [state.policy] : [],
    );
  }

  /** Forgets a policy; where it comes back, what it begins with. */
  take(key: string): PolicyState | undefined {
    const departed = this.#states.get(key);
    this.#states.delete(key);
    return departed?.state;
  }

  /** Forgets those that another process goes on with. */
  giveAway(areMeant: (policy: NamespacedName) => boolean): void {
    for (const [key, { state }] of this.#states) if (areMeant(state.policy)) this.#states.delete(key);
  }

  /** Those that are due at `now`, in milliseconds of a clock that never goes back, each taken once. */
  takeDue(now: number): readonly PolicyState[] {
    const due = [...this.#states.values()].filter(({ dueAt, isOutOfReach }) => !isOutOfReach && dueAt <= now);
    for (const departed of due) departed.dueAt = now + retryMilliseconds;
    return due.map(({ state }) => state);
  }
}

/** What remains of the state of a policy that left: one that comes back under the name is a new one, with this HPA. */
export function departedState(state: PolicyState): PolicyState {
  return {
    policy: state.policy,
    memory: {},
    memoryIfWritten: null,
    openRun: null,
    lastDecision: null,
    strategy: { ...nothingRecorded, hpa: sealedHpa(state.strategy?.hpa ?? null) },
    account: null,
    contest: null,
    refusal: null,
    updatedAt: state.updatedAt,
  };
}

/** Whether a policy has an HPA, as far as the record says. */
export function hasHpa({ strategy }: Pick<PolicyState, 'strategy'>): boolean {
  return typeof strategy?.hpa?.uid === 'string';
}
