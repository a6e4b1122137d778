import { AdapterError, messageOf, type NamespacedName, namespacedName, type Semaphore } from '#kernel';
import type { PolicyState } from '#ledger';
import { completeLeave } from './leave/complete-leave.ts';
import { LeavingElsewhere } from './leave/leaving-elsewhere.ts';
import { LeavingPolicies, type LeavingPolicy } from './leave/leaving-policies.ts';
import { type KeptHpaListener, letGo, outOfReach } from './leave/let-go.ts';
import { keptText } from './leave/orphaned-hpas.ts';
import { ledgerRead } from './pass/awaited-calls.ts';
import { type Deadline, DeadlineExceeded } from './pass/deadline.ts';
import type { ReconcileOptions, ReconcilePorts } from './pass/pass.ts';
import type { ActivePolicy } from './policies/active-policy.ts';
import { type Moment, momentOf } from './ports/clock.port.ts';
import type { ReplicaChange } from './ports/replica-changes.port.ts';
import { reportAwaiting } from './reporting/report-awaiting.ts';
import type { ConditionsByPolicy } from './restore/restore-conditions.ts';
import { hasLeft, type RestoredStates } from './restore/restore-policies.ts';
import { DepartedPolicies, type KeptHpa } from './runtime/departed-policies.ts';
import type { RecordedIntent } from './runtime/pending-write.ts';
import type { PolicyRuntime } from './runtime/policy-runtime.ts';
import type { LeftPolicy, PolicyRuntimes } from './runtime/policy-runtimes.ts';
import { UnclaimedPolicies } from './runtime/unclaimed-policies.ts';
import type { HeldShards } from './schedule/held-shards.ts';
import type { RunningWork } from './schedule/running-work.ts';

/** What a handover works with, shared with the passes. */
export interface HandoverDependencies {
  readonly ports: ReconcilePorts;
  readonly options: ReconcileOptions;
  readonly runtimes: PolicyRuntimes;
  readonly semaphore: Semaphore;
  readonly work: RunningWork;
  readonly shards: Pick<HeldShards, 'has'>;
}

/**
 * What comes after policies that left: their records are completed, their HPAs let go of, and their states handed to the
 * policies that go on under their names or on their targets. Until then those do not begin.
 */
export class Handover {
  #dependencies: HandoverDependencies;
  readonly #leaving = new LeavingPolicies();
  readonly #elsewhere = new LeavingElsewhere();
  readonly #departed = new DepartedPolicies();
  /** Policies that left and whose HPA is being let go of. Until that has ended, one that comes back does not begin. */
  readonly #lettingGo = new Set<string>();
  readonly #unclaimed = new UnclaimedPolicies();
  /** Policies that are not in force yet, and whose states are there and cannot be read. */
  readonly #damaged = new Map<string, NamespacedName>();
  /** Their conditions. */
  readonly #unclaimedConditions: ConditionsByPolicy = new Map();

  constructor(dependencies: HandoverDependencies) {
    this.#dependencies = dependencies;
  }

  /** Lets go by other options from now on. */
  reconfigure(options: ReconcileOptions): void {
    this.#dependencies = { ...this.#dependencies, options };
  }

  /** Takes the states and conditions of policies of shards that were taken and that are not in force. */
  restore({ unclaimed, damaged, departed, elsewhere }: RestoredStates, conditions: ConditionsByPolicy): void {
    for (const intent of elsewhere) this.#noteElsewhere(intent);
    for (const [key, recorded] of conditions) this.#unclaimedConditions.set(key, recorded);
    for (const [key, state] of unclaimed) this.#unclaimed.add(key, state);
    for (const { policy } of damaged) {
      if (this.#dependencies.runtimes.get(namespacedName(policy)) === undefined)
        this.#damaged.set(namespacedName(policy), policy);
    }
    for (const state of departed) this.#departed.add(state, this.#now());
  }

  #noteElsewhere(intent: RecordedIntent): void {
    const { runtimes, shards, ports } = this.#dependencies;
    const { policy, target } = intent.payload;
    const runtime = runtimes.ofTarget({ ...target, namespace: policy.namespace });
    if (runtime === undefined || shards.has(policy)) return;
    this.#elsewhere.noteIntent(intent, runtime, ports.clock.monotonicMilliseconds());
  }

  /** Notes what is in force: policies that came may go on with targets that policies of other processes leave. */
  noteActive(active: readonly ActivePolicy[], added: readonly PolicyRuntime[]): void {
    const { shards, ports } = this.#dependencies;
    const now = ports.clock.monotonicMilliseconds();
    this.#elsewhere.note(active, added, { isHeld: (policy) => shards.has(policy), now });
  }

  /** Forgets what another process goes on with. */
  giveAway(areMeant: (policy: NamespacedName) => boolean): void {
    this.#leaving.giveAway(areMeant);
    this.#elsewhere.giveAway(areMeant);
    this.#departed.giveAway(areMeant);
    this.#unclaimed.giveAway(areMeant);
    for (const [key, policy] of this.#damaged) if (areMeant(policy)) this.#damaged.delete(key);
    for (const [key, { policy }] of this.#unclaimedConditions)
      if (areMeant(policy)) this.#unclaimedConditions.delete(key);
  }

  /** Takes a policy that left its target. */
  add(left: LeftPolicy): void {
    this.#leaving.add(left);
  }

  /** Gives a policy that came into force the state that it goes on from, if there is one. */
  welcome(runtime: PolicyRuntime): void {
    runtime.conditions.restore(this.#unclaimedConditions.get(runtime.key)?.conditions ?? []);
    this.#unclaimedConditions.delete(runtime.key);
    if (this.#damaged.delete(runtime.key)) runtime.awaitState();
    // Its HPA is being let go of: what is left of it then, it begins with.
    if (this.#departed.has(runtime.key) && this.#lettingGo.has(runtime.key)) return;
    const state = this.#endDeparted(runtime.key) ?? this.#unclaimed.take(runtime.key);
    if (state !== undefined) runtime.restore(state, this.#now());
  }

  /** Whether a policy must not begin yet: one of its name or of its target has not left, or is being let go of. */
  isAwaitedBy(runtime: PolicyRuntime): boolean {
    if (this.#lettingGo.has(runtime.key) || this.#elsewhere.isAwaitedBy(runtime)) return true;
    return this.#leaving.isAwaitedBy(runtime);
  }

  /** Whether a policy of the name is leaving, has an HPA to be let go of, or may come into force yet. */
  has(key: string): boolean {
    return this.#leaving.has(key) || this.#departed.has(key) || this.#unclaimed.has(key);
  }

  /** What a policy that left waits for; null: nothing that is known. */
  waitsFor(key: string): string | null {
    return this.#leaving.waitsFor(key) ?? this.#departed.keptHpaOf(key)?.message ?? null;
  }

  /** Policies that left with an HPA in a namespace that is not managed any more. */
  listOutOfReach(): readonly NamespacedName[] {
    return this.#departed.listOutOfReach();
  }

  /** Policies that left and whose HPAs should be gone, and are not. */
  listKept(): readonly (NamespacedName & KeptHpa)[] {
    return this.#departed.listKept();
  }

  /** Gives a change to those that are leaving its target. */
  noteChange(change: ReplicaChange, now: Moment): void {
    this.#leaving.noteChange(change, now);
  }

  /**
   * Completes the records that are due, each within the pass timeout.
   *
   * @returns whether any was due, here or in another process: policies that waited for them may begin now
   */
  async completeDue(): Promise<boolean> {
    const { ports, work, shards } = this.#dependencies;
    const due = this.#leaving
      .takeDue(ports.clock.monotonicMilliseconds())
      .filter(({ runtime }) => shards.has(runtime.active.policy));
    await Promise.all(
      due.map((leaving) =>
        work.run(leaving.runtime.active.policy, (deadline) => this.#completeLeave(leaving, deadline)),
      ),
    );
    const isFree = await this.#elsewhere.look(ports);
    return isFree || due.length > 0;
  }

  /** Lets go of the policies that are due, each within the pass timeout. */
  async letGoDue(): Promise<void> {
    const { ports, work, shards } = this.#dependencies;
    await this.#lookAtUnclaimed();
    const due = this.#departed
      .takeDue(ports.clock.monotonicMilliseconds())
      .filter(({ policy }) => shards.has(policy));
    await Promise.all(due.map((state) => work.run(state.policy, (deadline) => this.#letGo(state, deadline))));
  }

  /** What is in force at a start may be ahead of the record, which says only later that a policy has left. */
  async #lookAtUnclaimed(): Promise<void> {
    const { ports, work, shards } = this.#dependencies;
    const due = this.#unclaimed
      .takeDue(ports.clock.monotonicMilliseconds())
      .filter(({ policy }) => shards.has(policy));
    await Promise.all(due.map((state) => work.run(state.policy, (deadline) => this.#look(state, deadline))));
  }

  async #look({ policy }: PolicyState, deadline: Deadline): Promise<void> {
    try {
      if (!(await deadline.race(hasLeft(this.#dependencies, { policy }), ledgerRead))) return;
    } catch (error) {
      // It is looked at again, and a ledger that is away is told of by what records.
      if (error instanceof AdapterError || error instanceof DeadlineExceeded) return;
      throw error;
    }
    const state = this.#unclaimed.take(namespacedName(policy));
    if (state !== undefined) this.#departed.add(state, this.#now());
  }

  async #completeLeave(leaving: LeavingPolicy, deadline: Deadline): Promise<void> {
    const pass = { ...this.#dependencies, runtime: leaving.runtime, deadline };
    try {
      const waitsFor = await completeLeave(pass, leaving, (left) => this.#endLeave(leaving, left));
      if (waitsFor !== null) this.#putOffLeave(leaving, waitsFor);
    } catch (error) {
      this.#putOffLeave(leaving, messageOf(error));
    }
  }

  #putOffLeave(leaving: LeavingPolicy, waitsFor: string): void {
    const { clock, log } = this.#dependencies.ports;
    const { key } = leaving.runtime;
    const isNews = leaving.waitsFor === null;
    this.#leaving.putOff(leaving, { now: clock.monotonicMilliseconds(), waitsFor });
    const text = `${key}  left, and its record is not complete yet: ${waitsFor}`;
    if (isNews) log.write({ level: 'warn', text, fields: { policy: key } });
    const { runtimes, ports } = this.#dependencies;
    const awaiting = new Set([runtimes.get(key), runtimes.ofTarget(leaving.runtime.target)]);
    for (const runtime of awaiting)
      if (runtime !== undefined) reportAwaiting(ports, runtime, { left: key, waitsFor });
  }

  /** Hands on what others go on with: the account of the target, and the state of the policy. */
  #endLeave(leaving: LeavingPolicy, left: PolicyState | null): void {
    const { runtimes } = this.#dependencies;
    const { runtime, successor } = leaving;
    const next = this.#leaving.finish(leaving) ?? runtimes.ofTarget(runtime.target);
    next?.replicas.restore(runtime.replicas.accounted);
    if (left === null) return;
    const heir = successor ?? runtimes.get(runtime.key);
    if (heir === undefined) this.#departed.add(left, this.#now());
    else heir.restore(left, this.#now());
  }

  #keptListener({ policy }: PolicyState): KeptHpaListener {
    const key = namespacedName(policy);
    const note = (kept: KeptHpa): void => {
      const isNews = this.#departed.noteKept(key, kept);
      const text = `${key}  left, and ${keptText(policy, kept)}`;
      const fields = { policy: key, reason: 'HpaKept' };
      if (isNews) this.#dependencies.ports.log.write({ level: 'warn', text, fields });
    };
    return {
      onTerminating: note,
      onNotDeleted: (failure) => {
        const now = this.#now();
        note({ message: failure.message, since: now.time, isSeen: true });
        return this.#departed.noteFailure(key, failure, now);
      },
      onUnread: (message) => {
        const since = this.#now().time;
        note({ message, since, isSeen: false });
        return this.#departed.unreadRefusalOf(key, { message, since });
      },
      onInDoubt: (message) =>
        this.#tellNotLetGo(key, `what became of its last write is not known: ${message}`),
    };
  }

  #tellNotLetGo(key: string, why: string): void {
    const text = `${key}  left, and could not be let go of yet: ${why}`;
    if (this.#departed.takeNews(key, 'NotLetGo'))
      this.#dependencies.ports.log.write({ level: 'warn', text, fields: { policy: key } });
  }

  /** Forgets a policy that left; what it leaves for one of its name. */
  #endDeparted(key: string): PolicyState | undefined {
    const kept = this.#departed.keptHpaOf(key);
    const text = `${key}  its HPA, which was to be deleted since ${kept?.since ?? ''}, is gone, or wanted again`;
    const fields = { policy: key, reason: 'HpaLetGo' };
    if (kept !== null) this.#dependencies.ports.log.write({ level: 'info', text, fields });
    return this.#departed.take(key);
  }

  #now(): Moment {
    return momentOf(this.#dependencies.ports.clock);
  }

  /** While it runs, a policy that comes back under the name does not begin. */
  async #letGo(state: PolicyState, deadline: Deadline): Promise<void> {
    const { runtimes } = this.#dependencies;
    const key = namespacedName(state.policy);
    this.#lettingGo.add(key);
    try {
      const left = await letGo({ ...this.#dependencies, deadline, kept: this.#keptListener(state) }, state);
      if (left === outOfReach) this.#departed.leaveOutOfReach(key);
      else if (left === null) this.#endDeparted(key);
      else this.#departed.replace(key, left);
    } catch (error) {
      this.#tellNotLetGo(key, messageOf(error));
    } finally {
      this.#lettingGo.delete(key);
    }
    const back = runtimes.get(key);
    const known = back === undefined ? undefined : this.#endDeparted(key);
    if (known !== undefined) back?.restore(known, this.#now());
  }
}
