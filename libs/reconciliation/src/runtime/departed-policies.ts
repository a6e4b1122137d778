import { type NamespacedName, namespacedName } from '#kernel';
import type { PolicyState, RecordedRefusal } from '#ledger';
import { sealedHpa } from '../hpa/follow-hpa.ts';
import { describeTerminating } from '../hpa/plan-actuation.ts';
import { type BackOff, backOffAfter, noBackOff, restoredBackOff, waitSeconds } from '../plan/back-off.ts';
import type { Moment } from '../ports/clock.port.ts';
import type { NativeAutoscaler } from '../ports/native-autoscalers.port.ts';
import { nothingRecorded } from '../strategy/strategy-changes.ts';
import type { WriteFailure } from './pending-write.ts';

/** Between two attempts to let go of one, in milliseconds: until the departure is recorded, or the API server answers. */
const retryMilliseconds = 15_000;

/** What is told once of a policy that left: its HPA stays, or it could not be found out what to do. */
type DepartedNews = 'HpaKept' | 'NotLetGo';

interface Departed {
  state: PolicyState;
  /** In milliseconds of a clock that never goes back. */
  dueAt: number;
  isOutOfReach: boolean;
  /** Of the deletion of its HPA. */
  failures: BackOff;
  kept: KeptHpa | null;
  /** What the log has of it. */
  readonly told: Set<DepartedNews>;
}

/** Why the HPA of a policy that left is still there, though it is to go. */
export interface KeptHpa {
  readonly message: string;
  /** Of the first refusal, or of its deletion where it waits for its finalizers; RFC 3339. */
  readonly since: string;
  /** False: it cannot be looked at, so that it may be gone. */
  readonly isSeen: boolean;
}

/**
 * Policies that are not in force any more and whose HPA is still to be let go of, or whose write has no outcome yet.
 * Their states stay in `policy_state` until then.
 */
export class DepartedPolicies {
  readonly #states = new Map<string, Departed>();

  /** Notes a policy that left; a deletion that was refused waits on, whichever process it was refused. */
  add(state: PolicyState, now: Moment): void {
    const kept = keptHpaOf(state);
    const { refusedAt, refusals } = (kept && state.refusal) ?? { refusedAt: [], refusals: 0 };
    const failures = restoredBackOff(refusedAt, refusals, now);
    const departed = {
      state,
      dueAt: dueAfter(failures),
      isOutOfReach: false,
      failures,
      kept,
      told: new Set<DepartedNews>(),
    };
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

  /** Its HPA was not deleted, or is not gone yet. @returns whether this process has not told so yet */
  noteKept(key: string, { since, ...kept }: KeptHpa): boolean {
    const departed = this.#states.get(key);
    if (departed === undefined) return false;
    departed.kept = { ...kept, since: departed.kept?.since ?? since };
    return this.takeNews(key, 'HpaKept');
  }

  /** Whether this process has not told it yet; it counts as told from then on. */
  takeNews(key: string, news: DepartedNews): boolean {
    const told = this.#states.get(key)?.told;
    if (told === undefined || told.has(news)) return false;
    told.add(news);
    return true;
  }

  /**
   * The deletion of its HPA failed, which from the third time on waits as a write that scales down does.
   *
   * @returns what is stored of it
   */
  noteFailure(key: string, { code, message }: WriteFailure, now: Moment): RecordedRefusal {
    const departed = this.#states.get(key);
    const failures = backOffAfter(departed?.failures ?? noBackOff, now);
    if (departed !== undefined) {
      departed.failures = failures;
      departed.dueAt = Math.max(departed.dueAt, dueAfter(failures));
    }
    return {
      ...deletion,
      code,
      message,
      since: departed?.kept?.since ?? now.time,
      refusedAt: failures.recent.map(({ time }) => time),
      refusals: failures.begun?.count ?? 0,
    };
  }

  /** Its HPA cannot be looked at, which lets no deletion wait. @returns what is stored of it */
  unreadRefusalOf(key: string, { message, since }: Pick<KeptHpa, 'message' | 'since'>): RecordedRefusal {
    const departed = this.#states.get(key);
    const { recent, begun } = departed?.failures ?? noBackOff;
    return {
      ...deletion,
      code: unread,
      message,
      since: departed?.kept?.since ?? since,
      refusedAt: recent.map(({ time }) => time),
      refusals: begun?.count ?? 0,
    };
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

/** What the state of a policy that left says of its HPA: nothing of the policy's own writes is meant. */
const deletion = {
  direction: 'Down',
  wanted: 'deletion of the HPA that a policy left',
  targetUid: null,
  version: '',
} as const;

/** The code of what is stored of an HPA that cannot be looked at before it is deleted. */
const unread = 'HpaUnread';

/** Why the HPA of a policy that left was still there when its state was stored; null: nothing is known to keep it. */
export function keptHpaOf({ refusal }: Pick<PolicyState, 'refusal'>): KeptHpa | null {
  if (refusal?.wanted !== deletion.wanted) return null;
  const { code, message, since } = refusal;
  return { message, since, isSeen: code !== unread };
}

/** Why an HPA that is being deleted is still there; null: it is not being deleted. */
export function terminatingHpa(
  hpa: Pick<NativeAutoscaler, 'terminatingSince' | 'finalizers'>,
): KeptHpa | null {
  const { terminatingSince: since } = hpa;
  return since === null ? null : { message: `it ${describeTerminating(hpa)}`, since, isSeen: true };
}

/** A state for a policy that goes on from it. */
export function withoutKept(state: PolicyState): PolicyState {
  return keptHpaOf(state) === null ? state : { ...state, refusal: null };
}

/** When the next deletion may be tried, in milliseconds of a clock that never goes back. */
function dueAfter({ begun }: BackOff): number {
  return begun === null ? 0 : begun.lastAt + waitSeconds(begun, 'Down') * 1_000;
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
    refusal: keptHpaOf(state) && state.refusal,
    updatedAt: state.updatedAt,
  };
}

/** Whether a policy has an HPA, as far as the record says. */
export function hasHpa({ strategy }: Pick<PolicyState, 'strategy'>): boolean {
  return typeof strategy?.hpa?.uid === 'string';
}
