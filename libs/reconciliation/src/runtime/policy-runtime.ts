import type { Decision } from '#decision';
import { namespacedName, shareParts } from '#kernel';
import type { AccountedReplicas, PolicyState } from '#ledger';
import { sealedHpa } from '../hpa/follow-hpa.ts';
import type { PassOutcome } from '../outcome/pass-outcome.ts';
import { PolicyConditions } from '../outcome/policy-conditions.ts';
import { isSameVersion, type VersionEnd } from '../outcome/version-end.ts';
import { Contest } from '../plan/contest.ts';
import { type Refusal, Refusals } from '../plan/refusals.ts';
import { RetirementWaits } from '../plan/retirement-waits.ts';
import { UnequalHpa } from '../plan/unequal-hpa.ts';
import type { ActivePolicy } from '../policies/active-policy.ts';
import { awaitedSources } from '../policies/awaited-sources.ts';
import { type ScaleTarget, scaleTargetOf } from '../policies/scale-target.ts';
import { type ScheduledPolicy, scheduledPolicyOf } from '../policies/scheduled-policy.ts';
import type { Moment } from '../ports/clock.port.ts';
import { plimsollManager } from '../ports/field-manager.ts';
import type { ReplicaChange } from '../ports/replica-changes.port.ts';
import { firstVersion, nextVersion, type VersionInForce } from '../strategy/policy-strategy.ts';
import { withoutRestore } from '../strategy/strategy-changes.ts';
import { withoutKept } from './departed-policies.ts';
import { KeptState } from './kept-state.ts';
import { PendingWrite } from './pending-write.ts';
import { ReplicaAccount } from './replica-account.ts';

/**
 * What the controller keeps in memory of one policy between passes. Everything that a decision depends on is also in
 * `policy_state`; only one pass at a time touches it.
 */
export class PolicyRuntime {
  readonly key: string;
  readonly kept = new KeptState();
  /** Whose changes of the target's replicas are accounted for. */
  readonly replicas = new ReplicaAccount();
  readonly pendingWrite = new PendingWrite();
  readonly conditions = new PolicyConditions();
  readonly contest = new Contest();
  readonly refusals = new Refusals();
  readonly retirementWaits = new RetirementWaits();
  readonly unequalHpa = new UnequalHpa();
  #outcome: PassOutcome | null = null;
  #carriedMetrics = '';
  /** What the owner filter has cached was for another strategy. */
  #isFilterStale = true;
  #unansweredAppend: Promise<unknown> | null = null;
  #isStateAwaited = false;
  #version: VersionInForce;
  #next: VersionInForce;
  #isBusy = false;
  #end: 'Left' | 'Retargeted' | 'NotHeld' | null = null;
  #isInterrupted = false;
  #isIntervened = false;
  #isAfterIntervention = false;
  readonly #interrupted = new Set<() => void>();
  #schedule: ScheduledPolicy;
  #target: ScaleTarget;
  #sources: string;

  constructor(active: ActivePolicy) {
    this.#version = firstVersion(active);
    this.#next = this.#version;
    this.key = namespacedName(active.policy);
    this.#schedule = scheduledPolicyOf(this.key, active);
    this.#target = scaleTargetOf(active.policy);
    this.#sources = awaitedSources(active.policy);
  }

  /** What goes on under the policy's name with another target. It begins when this one has left its own. */
  retarget(active: ActivePolicy): PolicyRuntime {
    const successor = new PolicyRuntime(active);
    successor.#next = nextVersion(this.#next, active);
    successor.#begin();
    return successor;
  }

  /** The version that passes work with. */
  get version(): VersionInForce {
    return this.#version;
  }

  get active(): ActivePolicy {
    return this.#version.active;
  }

  get target(): ScaleTarget {
    return this.#target;
  }

  /** The metric sources that passes wait for, as {@link awaitedSources} writes them. */
  get sources(): string {
    return this.#sources;
  }

  /** When passes of the version that they work with are due. */
  get schedule(): ScheduledPolicy {
    return this.#schedule;
  }

  /** A pass is under way. */
  get isBusy(): boolean {
    return this.#isBusy;
  }

  /** An append of an earlier pass may or may not be stored; until its answer comes nothing else is appended. */
  get isAppendUnanswered(): boolean {
    return this.#unansweredAppend !== null;
  }

  /** Whether the pass under way has sent nothing that changes anything, and none before it has left anything open. */
  get isIdle(): boolean {
    return this.#unansweredAppend === null && this.pendingWrite.state.kind === 'None';
  }

  /** How what the pass under way works with ended; null: it is in force. */
  get versionEnd(): VersionEnd | null {
    if (this.#end !== null) return this.#end;
    if (this.#isInterrupted) return 'Intervened';
    return isSameVersion(this.#version.active, this.#next.active) ? null : 'Replaced';
  }

  /** The policy left its target (it is not in force any more, or has another one), or another process has it. */
  leave(end: 'Left' | 'Retargeted' | 'NotHeld'): void {
    this.#end = end;
  }

  /** Takes another version. A pass under way ends with the one it began with: what it saw was for that one. */
  take(active: ActivePolicy): void {
    this.#next = nextVersion(this.#next, active);
    if (!this.#isBusy) this.#begin();
  }

  beginPass(): void {
    this.#isBusy = true;
    this.#isAfterIntervention = this.#isIntervened;
    this.#isIntervened = false;
  }

  /** Whether an intervention began or ended since the pass before this one began. */
  get isAfterIntervention(): boolean {
    return this.#isAfterIntervention;
  }

  /**
   * Notes that an intervention began or ended. The pass under way writes nothing any more, since what it saw was without
   * it, and waits for no answer.
   */
  interrupt(): void {
    this.#isIntervened = true;
    this.#isInterrupted = this.#isBusy;
    for (const listener of this.#interrupted) listener();
  }

  /** Calls the listener when the pass under way is interrupted; it must not throw. Returns what ends it. */
  onInterrupted(listener: () => void): () => void {
    this.#interrupted.add(listener);
    return () => this.#interrupted.delete(listener);
  }

  /** @returns whether the pass was interrupted, so that the next one is due. */
  endPass(): boolean {
    const isInterrupted = this.#isInterrupted;
    this.#isInterrupted = false;
    this.#isBusy = false;
    this.#begin();
    return isInterrupted;
  }

  /** Notes an append until it is answered. */
  trackAppend(answer: Promise<unknown>): void {
    this.#unansweredAppend = answer;
    const forget = (): void => {
      if (this.#unansweredAppend === answer) this.#unansweredAppend = null;
    };
    void answer.then(forget, forget);
  }

  /**
   * Takes a change of the target's replicas that the watch reports.
   *
   * @returns whether it was made by Plimsoll
   */
  noteChange(change: ReplicaChange, now: Moment): boolean {
    const isOwn = this.#isOwn(change);
    this.replicas.note(change);
    this.contest.note({ ...change, isOwn }, now);
    return isOwn;
  }

  /** By its manager; where managedFields do not say, by the write that is under way or was made. */
  #isOwn({ manager, to, resourceVersion }: ReplicaChange): boolean {
    if (manager !== null) return manager === plimsollManager;
    const { state } = this.pendingWrite;
    const isWriting = state.kind === 'Sent' || state.kind === 'Written';
    const isMeant = isWriting && state.intent.kind === 'ScalingIntent' && state.intent.payload.to === to;
    return isMeant || this.replicas.isOwn(resourceVersion);
  }

  /**
   * The refusal that writes wait for, at a time in milliseconds of a clock that never goes back; null: none. A person who
   * has just begun or ended an intervention need not wait.
   */
  refusalAt(now: number): Refusal | null {
    return this.#isAfterIntervention ? null : this.refusals.at(now);
  }

  /** What the last pass came to; null: there was none. */
  get outcome(): PassOutcome | null {
    return this.#outcome;
  }

  /**
   * Notes what a pass came to, and returns it, as the one before where it is the same, with what that came to; null: there
   * was none.
   */
  replaceOutcome(outcome: PassOutcome): {
    readonly kept: PassOutcome;
    readonly previous: PassOutcome | null;
  } {
    const previous = this.#outcome;
    const kept = shareParts(previous, outcome);
    this.#outcome = kept;
    return { kept, previous };
  }

  /** Notes the invalid metrics that another carried, in words; returns whether they are others than before. */
  takeCarriedMetrics(described: string): boolean {
    const isNews = described !== this.#carriedMetrics;
    this.#carriedMetrics = described;
    return isNews;
  }

  /** Whether the owner filter must begin anew, once per change of strategy. */
  takeStaleFilter(): boolean {
    const isStale = this.#isFilterStale;
    this.#isFilterStale = false;
    return isStale;
  }

  /** What is stored of it cannot be read: neither what it goes on from, nor whether a write is pending. */
  get isStateAwaited(): boolean {
    return this.#isStateAwaited;
  }

  /** Its state is there and cannot be read. */
  awaitState(): void {
    this.#isStateAwaited = true;
  }

  /** Its state was restored, or is gone; the ledger says whether a write is pending, before anything else is done. */
  endStateWait(): void {
    this.#isStateAwaited = false;
    if (this.pendingWrite.state.kind === 'None')
      this.pendingWrite.apply({ kind: 'Discover', write: { memoryIfWritten: null } });
  }

  /** Goes on where the last process stopped. */
  restore(state: PolicyState, now: Moment): void {
    this.kept.restore(state, now);
    const account = state.account ?? accountOfDecision(state.lastDecision?.decision);
    if (account !== null) this.replicas.restore(account);
    this.contest.restore(state.contest, now);
    this.refusals.restore(withoutKept(state).refusal, now);
    const { memoryIfWritten } = state;
    if (memoryIfWritten !== null) this.pendingWrite.apply({ kind: 'Discover', write: { memoryIfWritten } });
  }

  /** What a policy with another target goes on from: nothing that belongs to the target it had. */
  stateForSuccessor(updatedAt: string): PolicyState {
    const { strategy } = this.kept;
    const hpa = sealedHpa(strategy.hpa ?? null);
    return this.stateWith({
      memoryIfWritten: null,
      openRun: null,
      lastDecision: null,
      strategy: { ...withoutRestore(strategy), targetUid: strategy.targetUid ?? notSeen, hpa },
      account: null,
      contest: null,
      refusal: null,
      updatedAt,
    });
  }

  /** What becomes durable of it, in the place of what was. */
  stateWith(changes: Partial<PolicyState> & Pick<PolicyState, 'updatedAt'>): PolicyState {
    const { namespace, name } = this.active.policy;
    const { memory, openRun, lastDecision, strategy } = this.kept;
    return {
      policy: { namespace, name },
      memory,
      memoryIfWritten: this.pendingWrite.memoryIfWritten,
      openRun,
      lastDecision,
      strategy,
      account: this.replicas.accounted,
      contest: this.contest.recorded,
      refusal: this.refusals.recorded,
      ...changes,
    };
  }

  #begin(): void {
    if (this.#next === this.#version) return;
    if (this.#next.strategyCommits !== this.#version.strategyCommits) this.#isFilterStale = true;
    this.#version = this.#next;
    this.#schedule = scheduledPolicyOf(this.key, this.active);
    this.#target = scaleTargetOf(this.active.policy);
    this.#sources = awaitedSources(this.active.policy);
  }
}

/** Stands for the uid of a target that was never seen: the next one is another. */
const notSeen = '';

/**
 * For a state of a release that recorded no account: the count that the last decision saw, where it asked for no change.
 * Where it asked for one, what came of it is in the ledger, and the first pass starts a new account.
 */
function accountOfDecision(decision: Decision | undefined): AccountedReplicas | null {
  if (decision === undefined || decision.currentReplicas === null) return null;
  if (decision.action === 'ScaleUp' || decision.action === 'ScaleDown') return null;
  return { uid: null, replicas: decision.currentReplicas, resourceVersion: null };
}
