import type { Decision, Memory } from '#decision';
import { namespacedName } from '#kernel';
import type { EntryOf, LastDecision, OpenRun, PolicyState, RecordedStrategy } from '#ledger';
import type { ActivePolicy } from '../active-policy.ts';
import type { AccountedReplicas } from '../observe/replica-account.ts';
import type { PassOutcome } from '../outcome/pass-outcome.ts';
import type { EventSubject } from '../ports/kubernetes-events.port.ts';
import type { ReplicaChange } from '../ports/replica-changes.port.ts';
import { type ScaleTarget, scaleTargetOf } from '../scale-target.ts';
import { firstVersion, nextVersion, type VersionInForce } from '../strategy/policy-strategy.ts';
import { nothingRecorded, type StrategyOutput } from '../strategy/strategy-changes.ts';

/** Changes kept between two passes; more collapse into the difference, which is accounted for all the same. */
const maximumQueuedChanges = 64;

/** A write that may have been made, and that nobody has recorded the outcome of. */
export interface Doubt {
  /** Null: not known here; it is looked up in the ledger. */
  readonly intent: EntryOf<'ScalingIntent'> | null;
  /** In force if the write was made; null: the memory there is. */
  readonly memoryIfWritten: Memory | null;
}

/** Strategy changes that may have been stored: nobody said. */
export interface PendingStrategy extends StrategyOutput {
  /** Of the entries: that of the decision they were stored with. */
  readonly time: string;
  readonly subject: EventSubject;
}

/**
 * What the controller keeps in memory of one policy between passes. Everything that a decision depends on is also in
 * `policy_state`; only one pass at a time touches it.
 */
export class PolicyRuntime {
  readonly key: string;
  memory: Memory = {};
  openRun: OpenRun | null = null;
  lastDecision: LastDecision | null = null;
  account: AccountedReplicas | null = null;
  /** What a StrategyChange is told from. */
  recordedStrategy: RecordedStrategy = nothingRecorded;
  pendingStrategy: PendingStrategy | null = null;
  /** What the owner filter has cached was for another strategy. */
  isFilterStale = true;
  doubt: Doubt | null = null;
  outcome: PassOutcome | null = null;
  #changes: ReplicaChange[] = [];
  #version: VersionInForce;
  #next: VersionInForce;
  #isBusy = false;

  constructor(active: ActivePolicy) {
    this.#version = firstVersion(active);
    this.#next = this.#version;
    this.key = namespacedName(active.policy);
  }

  /** The version that passes work with. */
  get version(): VersionInForce {
    return this.#version;
  }

  get active(): ActivePolicy {
    return this.#version.active;
  }

  /** A pass is under way. */
  get isBusy(): boolean {
    return this.#isBusy;
  }

  /** Takes another version. A pass under way ends with the one it began with: what it saw was for that one. */
  take(active: ActivePolicy): void {
    this.#next = nextVersion(this.#next, active);
    if (!this.#isBusy) this.#begin();
  }

  beginPass(): void {
    this.#isBusy = true;
  }

  endPass(): void {
    this.#isBusy = false;
    this.#begin();
  }

  #begin(): void {
    if (this.#next.strategyCommits !== this.#version.strategyCommits) this.isFilterStale = true;
    this.#version = this.#next;
  }

  get target(): ScaleTarget {
    return scaleTargetOf(this.active.policy);
  }

  /** The changes that the watch saw and no pass has accounted for, oldest first. */
  get changes(): readonly ReplicaChange[] {
    return this.#changes;
  }

  /** Takes a change from the watch; the next pass accounts for it. */
  noteChange(change: ReplicaChange): void {
    this.#changes.push(change);
    if (this.#changes.length > maximumQueuedChanges) this.#changes.shift();
  }

  /** Forgets changes that have been accounted for. */
  dropChanges(accounted: readonly ReplicaChange[]): void {
    const dropped = new Set(accounted);
    this.#changes = this.#changes.filter((change) => !dropped.has(change));
  }

  /** Goes on where the last process stopped. */
  restore(state: PolicyState): void {
    this.memory = state.memory;
    this.openRun = state.openRun;
    this.lastDecision = state.lastDecision;
    this.recordedStrategy = state.strategy ?? strategyOfMemory(state.memory);
    // What is pending is looked up: without a pending intent, this finds that there is nothing to settle.
    if (state.memoryIfWritten !== null) this.doubt = { intent: null, memoryIfWritten: state.memoryIfWritten };
    this.account = restoredAccount(state.lastDecision?.decision);
  }

  /** What becomes durable of it, in the place of what was. */
  stateWith(changes: Partial<PolicyState> & Pick<PolicyState, 'updatedAt'>): PolicyState {
    const { namespace, name } = this.active.policy;
    return {
      policy: { namespace, name },
      memory: this.memory,
      memoryIfWritten: this.doubt?.memoryIfWritten ?? null,
      openRun: this.openRun,
      lastDecision: this.lastDecision,
      strategy: this.recordedStrategy,
      ...changes,
    };
  }
}

/** A release that recorded no strategy remembered the selection. */
function strategyOfMemory({ selectionStrategy }: Memory): RecordedStrategy {
  return { ...nothingRecorded, selectionStrategy: selectionStrategy ?? null };
}

/**
 * The count that the last decision saw, where it asked for no change: then it is the count that the next process
 * should find. Where it asked for one, what came of it is in the ledger, and the first pass starts a new account.
 */
function restoredAccount(decision: Decision | undefined): AccountedReplicas | null {
  if (decision === undefined || decision.currentReplicas === null) return null;
  if (decision.action === 'ScaleUp' || decision.action === 'ScaleDown') return null;
  return { uid: null, replicas: decision.currentReplicas, resourceVersion: null };
}
