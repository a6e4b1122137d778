import { namespacedName, Semaphore } from '#kernel';
import type { StandingIntervention } from '#ledger';
import { Handover } from './handover.ts';
import { hasExpiredHpa } from './hpa/expired-hpa.ts';
import { type LeaveOutcome, leaveTarget, type LeftTarget } from './hpa/leave-target.ts';
import { orphanedHpas, OrphanReports } from './hpa/orphaned-hpas.ts';
import { AutoscalerClaims } from './observe/autoscaler-claims.ts';
import { PodClaims } from './observe/pod-claims.ts';
import type { PassOutcome } from './outcome/pass-outcome.ts';
import { beginPasses, type DuePass } from './pass/begin-passes.ts';
import { DueTimes } from './pass/due-times.ts';
import type { ReconcileOptions, ReconcilePorts } from './pass/pass.ts';
import { PassWindows } from './pass/pass-windows.ts';
import type { PolicyRuntime } from './pass/policy-runtime.ts';
import { PolicyRuntimes } from './pass/policy-runtimes.ts';
import { RunningWork } from './pass/running-work.ts';
import { untilNextChange } from './pass/until-next-change.ts';
import type { VersionEnd } from './pass/version-end.ts';
import { momentOf } from './ports/clock.port.ts';
import type { NamespaceMetrics } from './ports/metrics.port.ts';
import type { OwnedAutoscaler } from './ports/native-autoscalers.port.ts';
import type { ReplicaChange } from './ports/replica-changes.port.ts';
import { restoreConditions } from './record/restore-conditions.ts';
import { restorePolicies } from './record/restore-policies.ts';
import { sealAll } from './record/seal-runs.ts';
import { runPass } from './run-pass.ts';
import { isInScope } from './standing-interventions.ts';

/** How often it is looked whether an HPA that others keep from being deleted is gone. */
const leavingMilliseconds = 5_000;

/** What a pass still has when the process is to end: Kubernetes kills after 30 s, and more than the passes must end. */
const shutdownMilliseconds = 10_000;

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
  readonly #semaphore: Semaphore;
  readonly #dueTimes: DueTimes;
  readonly #work: RunningWork;
  readonly #windows: PassWindows;
  readonly #handover: Handover;
  readonly #orphanReports = new OrphanReports();
  #hasSwept = false;
  #isEnding = false;
  #unsubscribe: () => void = () => undefined;
  #onHastened: () => void = () => undefined;

  constructor(dependencies: ReconcilerDependencies) {
    this.#dependencies = dependencies;
    this.#semaphore = new Semaphore(dependencies.options.concurrency);
    this.#dueTimes = new DueTimes(dependencies.options);
    this.#work = new RunningWork(dependencies.ports.clock, dependencies.options.passTimeoutMilliseconds);
    this.#windows = new PassWindows(dependencies.ports.clock);
    const shared = { runtimes: this.#runtimes, semaphore: this.#semaphore, work: this.#work };
    this.#handover = new Handover({ ...dependencies, ...shared });
  }

  /** Decides and writes by another mode and other settings from the next pass on; one under way ends by those it began with. */
  reconfigure({ mode, settings }: Pick<ReconcileOptions, 'mode' | 'settings'>): void {
    const options = { ...this.#dependencies.options, mode, settings };
    this.#dependencies = { ...this.#dependencies, options };
    this.#handover.reconfigure(options);
  }

  /**
   * Goes on where the last process stopped: memory and open runs from `policy_state`, the interventions that stand, and
   * an outcome for every intent that has none. To be called once, before the first sweep, with the policies in force and the caches synced.
   *
   * @throws AdapterError when the ledger cannot be read: without its record nothing may be decided.
   */
  async restore(): Promise<void> {
    const { ports } = this.#dependencies;
    this.#adoptActivePolicies();
    await ports.interventions.restore();
    const restoring = { ...this.#dependencies, semaphore: this.#semaphore };
    const states = await restorePolicies(restoring, this.#runtimes);
    this.#handover.restore(states, await restoreConditions(restoring, this.#runtimes));
    const { replicaChanges } = ports;
    const ends = [
      replicaChanges.subscribe((change) => this.#noteChange(change)),
      replicaChanges.subscribeToSelectors((target) => this.#hasten(this.#runtimes.ofTarget(target))),
      ports.interventions.subscribe((changed) => this.#noteIntervention(changed)),
    ];
    this.#unsubscribe = () => ends.forEach((end) => end());
  }

  /** Calls the listener when a policy is due before the next sweep would come; it returns at once. */
  onHastened(listener: () => void): void {
    this.#onHastened = listener;
  }

  /** Runs the passes that are due now; resolves when they have ended, which each does within the pass timeout. */
  async sweep(): Promise<void> {
    this.#dependencies.ports.clock.noteWork('sweep');
    this.#adoptActivePolicies();
    const now = this.#dependencies.ports.clock.monotonicMilliseconds();
    if (this.#orphanReports.takeDue(now))
      this.#orphanReports.report(this.#dependencies.ports.log, this.listOrphanedHpas());
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
    const now = clock.monotonicMilliseconds();
    const due = [...this.#takeDue(now), ...this.#takeExpired(now)];
    if (due.length === 0) return;
    for (const namespace of new Set(due.map(({ runtime }) => runtime.target.namespace)))
      this.#autoscalerClaims.refresh(this.#dependencies.ports, namespace);
    await beginPasses(due, {
      clock,
      windows: this.#windows,
      tick: metrics.openTick(),
      begin: (pass, ofNamespace) => (this.#mayBegin(pass) ? this.#run(pass, ofNamespace) : null),
    });
  }

  /** While it waited for its place it may have left, and another sweep may have begun it. */
  #mayBegin({ runtime }: DuePass): boolean {
    return !this.#isEnding && !runtime.isBusy && this.#runtimes.get(runtime.key) === runtime;
  }

  /**
   * Leaves the target of a policy that was released, once its record is complete.
   *
   * @throws AdapterError when the ledger cannot be read
   */
  async leave(left: LeftTarget): Promise<LeaveOutcome> {
    const key = namespacedName(left.policy);
    let outcome: LeaveOutcome = { kind: 'Waiting', message: 'its record is not complete yet' };
    if (this.#isEnding || this.#runtimes.get(key) !== undefined || this.#handover.has(key)) return outcome;
    await this.#work.run(async (deadline) => {
      outcome = await leaveTarget({ ...this.#dependencies, semaphore: this.#semaphore, deadline }, left);
    });
    return outcome;
  }

  /** The HPAs that Plimsoll made and that no policy explains, in force, on its way in, or leaving. */
  listOrphanedHpas(): readonly OwnedAutoscaler[] {
    const isExplained = (key: string): boolean =>
      this.#runtimes.get(key) !== undefined || this.#handover.has(key);
    return orphanedHpas(this.#dependencies.ports.nativeAutoscalers.listOwned(), isExplained);
  }

  /**
   * Waits for the passes under way, 10 s at most, then seals every open run; no sweep may follow. A write that was sent
   * and not answered by then stays an intent without an outcome, which the next process resolves.
   */
  async shutdown(): Promise<void> {
    this.#unsubscribe();
    this.#isEnding = true;
    await this.#work.end(shutdownMilliseconds, 'the process is ending');
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
      await this.#work.run(async (deadline) => {
        await runPass({ ...shared, runtime, versionEnd, deadline, isEarly });
      });
    } finally {
      if (runtime.endPass()) this.#demand([runtime]);
    }
    if (this.#runtimes.get(runtime.key) === runtime) {
      this.#awaitChange(runtime);
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
    if (runtime === undefined) return;
    const isOwn = runtime.noteChange(change, now);
    if (!isOwn && runtime.active.policy.actuation === 'Scale') this.#hasten(runtime);
  }

  #hasten(runtime: PolicyRuntime | undefined): void {
    if (runtime === undefined) return;
    this.#dueTimes.hasten(runtime.key, this.#dependencies.ports.clock.monotonicMilliseconds());
    this.#onHastened();
  }

  /** In force within a second: a pass that looked before must not write, and the next one waits for nothing. */
  #noteIntervention({ scope }: StandingIntervention): void {
    const affected = this.#runtimes.all().filter(({ active }) => isInScope(scope, active));
    for (const runtime of affected) runtime.interrupt();
    this.#demand(affected);
  }

  #demand(runtimes: readonly PolicyRuntime[]): void {
    const now = this.#dependencies.ports.clock.monotonicMilliseconds();
    for (const { key } of runtimes) this.#dueTimes.demand(key, now);
    if (runtimes.length > 0) this.#onHastened();
  }

  /** A pass when a window begins or ends, an intervention expires, or an HPA that was deleted is gone. */
  #awaitChange({ key, active, outcome }: PolicyRuntime): void {
    const { clock } = this.#dependencies.ports;
    const milliseconds = [untilNextChange(this.#dependencies.ports, active, clock.now()), untilGone(outcome)];
    const now = clock.monotonicMilliseconds();
    for (const wait of milliseconds) if (wait !== null) this.#dueTimes.hasten(key, now + wait);
  }

  #takeDue(now: number): readonly DuePass[] {
    const begun = this.#runtimes.all().filter((runtime) => !this.#handover.isAwaitedBy(runtime));
    const scheduled = begun.map(({ schedule }) => schedule);
    return this.#dueTimes.take(scheduled, now).flatMap(({ key, isEarly }) => {
      const runtime = this.#runtimes.get(key);
      if (runtime?.isBusy === false) return [{ runtime, isEarly }];
      // The pass under way may have looked before the change.
      if (isEarly) this.#dueTimes.hasten(key, now);
      return [];
    });
  }

  /** At the start: policies whose HPA says something that has ended meanwhile do not wait for their place in the interval. */
  #takeExpired(now: number): readonly DuePass[] {
    if (this.#hasSwept) return [];
    this.#hasSwept = true;
    for (const runtime of this.#runtimes.all()) {
      if (hasExpiredHpa(this.#dependencies.ports, runtime.active.policy))
        this.#dueTimes.hasten(runtime.key, now);
    }
    return this.#takeDue(now);
  }

  #adoptActivePolicies(): void {
    const { ports } = this.#dependencies;
    const { added, left } = this.#runtimes.adopt(ports.activePolicies.listActivePolicies());
    for (const leaving of left) {
      this.#releaseClaims(leaving.runtime);
      this.#handover.add(leaving);
    }
    for (const runtime of added) {
      this.#claims.expect(runtime.key, runtime.active.policy.namespace);
      this.#handover.welcome(runtime);
    }
  }

  /** Completes the records of policies that left, and runs those that waited for them. */
  async #completeLeaves(): Promise<void> {
    if (this.#isEnding) return;
    if (await this.#handover.completeDue()) await this.#runDue();
  }
}

/** When to look whether the policy's HPA, which a pass deleted, is gone; null: none was, or it does not matter. */
function untilGone(outcome: PassOutcome | null): number | null {
  if (outcome?.reason === 'HpaDeleted') return 0;
  return outcome?.reason === 'HpaLeaving' ? leavingMilliseconds : null;
}
