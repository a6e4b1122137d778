import { namespacedName, Semaphore } from '#kernel';
import type { StandingIntervention } from '#ledger';
import { AutoscalerClaims } from './claims/autoscaler-claims.ts';
import { NeighbourClaims } from './claims/neighbour-claims.ts';
import { PodClaims } from './claims/pod-claims.ts';
import { Handover } from './handover.ts';
import { isInScope } from './interventions/intervention-scope.ts';
import { foreseeLeave, type LeaveForesight } from './leave/foresee-leave.ts';
import { type LeaveOutcome, leaveTarget, withReason } from './leave/leave-target.ts';
import { type OrphanedHpa, orphanedHpas, OrphanReports } from './leave/orphaned-hpas.ts';
import type { LeftTarget } from './leave/plan-leave.ts';
import type { VersionEnd } from './outcome/version-end.ts';
import { managesNamespace, type ReconcileOptions, type ReconcilePorts } from './pass/pass.ts';
import { Refusals } from './plan/refusals.ts';
import { momentOf } from './ports/clock.port.ts';
import type { NamespaceMetrics } from './ports/metrics.port.ts';
import type { ReplicaChange } from './ports/replica-changes.port.ts';
import { sealAll } from './record/seal-runs.ts';
import { runPass } from './run-pass.ts';
import type { KeptHpa } from './runtime/departed-policies.ts';
import type { PolicyRuntime } from './runtime/policy-runtime.ts';
import { PolicyRuntimes } from './runtime/policy-runtimes.ts';
import { beginPasses, type DuePass } from './schedule/begin-passes.ts';
import { HeldShards } from './schedule/held-shards.ts';
import { PassSchedule } from './schedule/pass-schedule.ts';
import { PassWindows } from './schedule/pass-windows.ts';
import { RunningWork } from './schedule/running-work.ts';
import { ShardTurnover } from './shard-turnover.ts';

export interface ReconcilerDependencies {
  readonly ports: ReconcilePorts;
  readonly options: ReconcileOptions;
}

/**
 * Reconciles all policies in force: each when it is due, none twice at a time, each behind its own deadline. The shell
 * calls {@link Reconciler.sweep} about once a second and never waits for the last sweep before the next.
 */
export class Reconciler {
  #dependencies: ReconcilerDependencies;
  readonly #runtimes = new PolicyRuntimes();
  readonly #claims = new PodClaims();
  readonly #autoscalerClaims = new AutoscalerClaims(this.#claims);
  readonly #neighbourClaims = new NeighbourClaims(this.#claims);
  readonly #semaphore: Semaphore;
  readonly #schedule: PassSchedule;
  readonly #work: RunningWork;
  readonly #windows: PassWindows;
  readonly #shards: HeldShards;
  readonly #handover: Handover;
  readonly #turnover: ShardTurnover;
  readonly #orphanReports = new OrphanReports();
  /** Of targets whose leaving the API server refused; another process, or a later start, counts anew. */
  readonly #leaveRefusals = new Map<string, Refusals>();
  #isSubscribed = false;
  #isEnding = false;
  #unsubscribe: () => void = () => undefined;

  constructor(dependencies: ReconcilerDependencies) {
    this.#dependencies = dependencies;
    this.#semaphore = new Semaphore(dependencies.options.concurrency);
    this.#work = new RunningWork(dependencies.ports.clock, dependencies.options.passTimeoutMilliseconds);
    this.#windows = new PassWindows(dependencies.ports.clock);
    this.#shards = new HeldShards(dependencies.ports.shards);
    const shared = {
      runtimes: this.#runtimes,
      semaphore: this.#semaphore,
      work: this.#work,
      shards: this.#shards,
    };
    this.#handover = new Handover({ ...dependencies, ...shared });
    this.#turnover = new ShardTurnover({
      ...dependencies,
      ...shared,
      claims: this.#claims,
      handover: this.#handover,
    });
    const mayBegin = (runtime: PolicyRuntime): boolean => this.#isBegun(runtime);
    this.#schedule = new PassSchedule({ ...dependencies, runtimes: this.#runtimes, mayBegin });
  }

  /** Decides and writes by another mode and other settings from the next pass on; one under way ends by those it began with. */
  reconfigure({ mode, settings }: Pick<ReconcileOptions, 'mode' | 'settings'>): void {
    const options = { ...this.#dependencies.options, mode, settings };
    this.#dependencies = { ...this.#dependencies, options };
    this.#handover.reconfigure(options);
    this.#turnover.reconfigure(options);
  }

  /**
   * Takes shards, and goes on where their last holder stopped: memory and open runs from `policy_state`, and an outcome
   * for every intent that has none. To be called with the policies in force and the caches synced. Passes of the shards'
   * policies begin with the next sweep.
   *
   * @throws AdapterError when the ledger cannot be read: without its record nothing may be decided. None is taken then.
   */
  async take(shards: readonly number[]): Promise<void> {
    await this.#turnover.take(shards, async () => {
      this.#adoptActivePolicies();
      if (!this.#isSubscribed) await this.#dependencies.ports.interventions.restore();
    });
    this.#subscribe();
  }

  /**
   * Gives a shard up: begins no pass of its policies any more, drops those under way that have sent nothing, waits a second
   * for the others, seals their open runs and forgets them.
   *
   * @throws AdapterError `WriteUnanswered` where a write was sent and not answered: it may be carried out yet, so no other
   *   process may write in its place before the API server would have given up on it
   */
  async giveUp(shard: number): Promise<void> {
    await this.#turnover.giveUp(shard);
  }

  #subscribe(): void {
    if (this.#isSubscribed || this.#isEnding) return;
    this.#isSubscribed = true;
    const { replicaChanges, interventions } = this.#dependencies.ports;
    const ends = [
      replicaChanges.subscribe((change) => this.#noteChange(change)),
      replicaChanges.subscribeToSelectors((target) => this.#hasten(this.#runtimes.ofTarget(target))),
      interventions.subscribe((changed) => this.#noteIntervention(changed)),
    ];
    this.#unsubscribe = () => ends.forEach((end) => end());
  }

  /** Calls the listener when a policy is due before the next sweep would come; it returns at once. */
  onHastened(listener: () => void): void {
    this.#schedule.onHastened(listener);
  }

  /** Runs the passes that are due now; resolves when they have ended, which each does within the pass timeout. */
  async sweep(): Promise<void> {
    this.#dependencies.ports.clock.noteWork('sweep');
    this.#adoptActivePolicies();
    const now = this.#dependencies.ports.clock.monotonicMilliseconds();
    if (this.#orphanReports.takeDue(now)) {
      this.#orphanReports.report(this.#dependencies.ports.log, this.listOrphanedHpas(), (namespace) =>
        managesNamespace(this.#dependencies.options, namespace),
      );
    }
    const { interventions } = this.#dependencies.ports;
    await Promise.all([
      this.#handover.letGoDue(),
      this.#completeLeaves(),
      this.#runDue(),
      interventions.endExpired(),
    ]);
  }

  async #runDue(): Promise<void> {
    if (this.#isEnding) return;
    const { clock, metrics } = this.#dependencies.ports;
    const due = this.#schedule.takeDue();
    if (due.length === 0) return;
    for (const namespace of new Set(due.map(({ runtime }) => runtime.target.namespace))) {
      this.#autoscalerClaims.refresh(this.#dependencies.ports, namespace);
      this.#neighbourClaims.refresh(this.#dependencies.ports, namespace);
    }
    await beginPasses(due, {
      clock,
      windows: this.#windows,
      tick: metrics.openTick(),
      begin: (pass, ofNamespace) => (this.#mayBegin(pass) ? this.#run(pass, ofNamespace) : null),
    });
  }

  /** While it waited for its place its policy may have left. */
  #mayBegin(pass: DuePass): boolean {
    const { runtime } = pass;
    if (!this.#schedule.leaveLine(pass)) return false;
    if (this.#isEnding || this.#runtimes.get(runtime.key) !== runtime) return false;
    return this.#shards.has(runtime.active.policy);
  }

  /**
   * Leaves the target of a policy that was released, once its record is complete.
   *
   * @throws AdapterError when the ledger cannot be read
   */
  async leave(left: LeftTarget): Promise<LeaveOutcome> {
    const key = namespacedName(left.policy);
    const message = withReason('its record is not complete yet', this.#handover.waitsFor(key));
    let outcome: LeaveOutcome = { kind: 'Waiting', message };
    if (this.#isEnding || this.#runtimes.get(key) !== undefined || this.#handover.has(key)) return outcome;
    if (!this.#shards.has(left.policy))
      return { kind: 'Waiting', message: 'another process holds the shard of the policy' };
    const refusals = this.#leaveRefusals.get(key) ?? new Refusals();
    const shared = { ...this.#dependencies, semaphore: this.#semaphore, refusals };
    await this.#work.run(left.policy, async (deadline) => {
      outcome = await leaveTarget({ ...shared, deadline }, left);
      if (outcome.kind === 'Done') refusals.clear();
    });
    if (refusals.recorded === null) this.#leaveRefusals.delete(key);
    else this.#leaveRefusals.set(key, refusals);
    return outcome;
  }

  /** What leaving the target would come to, as far as the watch has its HPAs. Of any shard; reads memory only. */
  foreseeLeave(left: Pick<LeftTarget, 'policy' | 'to'>): LeaveForesight {
    const { ports, options } = this.#dependencies;
    const listing = ports.nativeAutoscalers.listAutoscalers(left.policy.namespace);
    return foreseeLeave(left, { listing, options });
  }

  /** The policies that left, whose HPAs should be gone and are not, as far as this process lets go of them. */
  get keptHpas(): readonly KeptHpa[] {
    return this.#handover.listKept();
  }

  /**
   * The HPAs that Plimsoll made and that no policy explains, in force, on its way in, or leaving; those of shards that
   * this process does not hold are for others to explain. Those that a policy left in a namespace which is not managed any
   * more are among them, as the record has them.
   */
  listOrphanedHpas(): readonly OrphanedHpa[] {
    const isExplained = (key: string): boolean => {
      const [namespace = '', name = ''] = key.split('/');
      return (
        !this.#shards.has({ namespace, name }) ||
        this.#runtimes.get(key) !== undefined ||
        this.#handover.has(key)
      );
    };
    const owned = this.#dependencies.ports.nativeAutoscalers.listOwned();
    const departed = { outOfReach: this.#handover.listOutOfReach(), kept: this.#handover.listKept() };
    return orphanedHpas(owned, departed, isExplained);
  }

  /**
   * Drops the passes under way that have sent nothing, waits for the others, 10 s at most, then seals every open run; no sweep may follow. A write that was sent
   * and not answered by then stays an intent without an outcome, which the next process resolves.
   */
  async shutdown(): Promise<void> {
    this.#unsubscribe();
    this.#isEnding = true;
    await this.#turnover.end();
    await sealAll(this.#dependencies.ports, this.#runtimes.all());
  }

  async #run({ runtime, isEarly }: DuePass, metrics: NamespaceMetrics): Promise<void> {
    this.#dependencies.ports.clock.noteWork(`pass of ${runtime.key}`);
    runtime.beginPass();
    const versionEnd = (): VersionEnd | null => {
      this.#adoptActivePolicies();
      return runtime.versionEnd;
    };
    const shared = { ...this.#dependencies, claims: this.#claims, semaphore: this.#semaphore, metrics };
    try {
      await this.#work.run(runtime.active.policy, async (deadline) => {
        await runPass({ ...shared, runtime, versionEnd, deadline, isEarly });
      });
    } finally {
      if (runtime.endPass()) this.#schedule.demand([runtime]);
    }
    if (this.#runtimes.get(runtime.key) === runtime) {
      this.#schedule.awaitChange(runtime);
      return;
    }
    // It left while its pass ran, which may have claimed pods since.
    this.#releaseClaims(runtime);
    await this.#completeLeaves();
  }

  #releaseClaims({ key, active }: PolicyRuntime): void {
    const { namespace } = active.policy;
    this.#claims.release(key, namespace);
    if (this.#runtimes.get(key) !== undefined) this.#claims.expect(key, namespace);
  }

  /** Our own writes start no pass, and neither do native scalings, which the policy's HPA makes. */
  #noteChange(change: ReplicaChange): void {
    const now = momentOf(this.#dependencies.ports.clock);
    this.#handover.noteChange(change, now);
    const runtime = this.#runtimes.ofTarget(change.target);
    // What is not restored yet begins with the change in its account.
    if (runtime === undefined || this.#shards.isTaking(runtime.active.policy)) return;
    const isOwn = runtime.noteChange(change, now);
    if (!isOwn && runtime.active.policy.actuation === 'Scale') this.#hasten(runtime);
  }

  #hasten(runtime: PolicyRuntime | undefined): void {
    if (runtime !== undefined) this.#schedule.hasten(runtime);
  }

  /** In force within a second: a pass that looked before must not write, and the next one waits for nothing. */
  #noteIntervention({ scope }: StandingIntervention): void {
    const affected = this.#runtimes.all().filter(({ active }) => isInScope(scope, active));
    for (const runtime of affected) runtime.interrupt();
    this.#schedule.demand(affected);
  }

  #isBegun(runtime: PolicyRuntime): boolean {
    const isHeld = this.#shards.isUnmoving || this.#shards.has(runtime.active.policy);
    return isHeld && !this.#handover.isAwaitedBy(runtime);
  }

  #adoptActivePolicies(): void {
    const { ports } = this.#dependencies;
    const active = ports.activePolicies.listActivePolicies();
    const selected = this.#shards.select(active);
    this.#neighbourClaims.note(active, selected);
    const { added, left } = this.#runtimes.adopt(selected);
    for (const leaving of left) {
      this.#releaseClaims(leaving.runtime);
      this.#handover.add(leaving);
    }
    this.#handover.noteActive(active, added);
    for (const runtime of added) {
      this.#claims.expect(runtime.key, runtime.active.policy.namespace);
      this.#handover.welcome(runtime);
      this.#leaveRefusals.delete(runtime.key);
    }
  }

  /** Completes the records of policies that left, and runs those that waited for them. */
  async #completeLeaves(): Promise<void> {
    if (this.#isEnding) return;
    if (await this.#handover.completeDue()) await this.#runDue();
  }
}
