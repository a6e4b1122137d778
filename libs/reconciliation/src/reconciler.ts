import { messageOf, namespacedName, Semaphore } from '#kernel';
import type { PolicyState } from '#ledger';
import type { ActivePolicy } from './active-policy.ts';
import { DepartedPolicies } from './hpa/departed-policies.ts';
import { hasExpiredHpa } from './hpa/expired-hpa.ts';
import { letGo } from './hpa/let-go.ts';
import { orphanedHpas, OrphanReports } from './hpa/orphaned-hpas.ts';
import { AutoscalerClaims } from './observe/autoscaler-claims.ts';
import { PodClaims } from './observe/pod-claims.ts';
import { Deadline } from './pass/deadline.ts';
import { DueTimes } from './pass/due-times.ts';
import { LeavingPolicies, type LeavingPolicy } from './pass/leaving-policies.ts';
import type { ReconcileOptions, ReconcilePorts } from './pass/pass.ts';
import type { PolicyRuntime } from './pass/policy-runtime.ts';
import { PolicyRuntimes } from './pass/policy-runtimes.ts';
import type { MetricsTick } from './ports/metrics.port.ts';
import type { OwnedAutoscaler } from './ports/native-autoscalers.port.ts';
import type { ReplicaChange } from './ports/replica-changes.port.ts';
import type { WindowsPort } from './ports/windows.port.ts';
import { completeLeave } from './record/complete-leave.ts';
import { restorePolicies } from './record/restore-policies.ts';
import { sealAll } from './record/seal-runs.ts';
import { runPass } from './run-pass.ts';

/** After so many passes have begun the loop serves whatever else waits. */
const passesPerTurn = 64;

/** What a pass still has when the process is to end: Kubernetes kills after 30 s, and more than the passes must end. */
const shutdownMilliseconds = 10_000;

export interface ReconcilerDependencies {
  readonly ports: ReconcilePorts;
  readonly options: ReconcileOptions;
}

interface DuePass {
  readonly runtime: PolicyRuntime;
  readonly isEarly: boolean;
}

/**
 * Reconciles all policies in force: each when it is due, none twice at a time, each behind its own deadline. The shell
 * calls {@link Reconciler.sweep} about once a second and never waits for the last sweep before the next.
 */
export class Reconciler {
  readonly #dependencies: ReconcilerDependencies;
  readonly #runtimes = new PolicyRuntimes();
  readonly #claims = new PodClaims();
  readonly #autoscalerClaims = new AutoscalerClaims(this.#claims);
  readonly #semaphore: Semaphore;
  readonly #dueTimes: DueTimes;
  readonly #running = new Set<Promise<unknown>>();
  readonly #deadlines = new Set<Deadline>();
  /** States of policies that are not in force yet. */
  #unclaimed = new Map<string, PolicyState>();
  readonly #departed = new DepartedPolicies();
  readonly #orphanReports = new OrphanReports();
  #hasSwept = false;
  readonly #leaving = new LeavingPolicies();
  /** Policies that left and whose HPA is being let go of. Until that has ended, one that comes back does not begin. */
  readonly #lettingGo = new Set<string>();
  #isEnding = false;
  #unsubscribe: () => void = () => undefined;
  #onHastened: () => void = () => undefined;

  constructor(dependencies: ReconcilerDependencies) {
    this.#dependencies = dependencies;
    this.#semaphore = new Semaphore(dependencies.options.concurrency);
    this.#dueTimes = new DueTimes(dependencies.options);
  }

  /**
   * Goes on where the last process stopped: memory and open runs from `policy_state`, and an outcome for every intent
   * that has none. To be called once, before the first sweep, with the policies in force and the caches synced.
   *
   * @throws AdapterError when the ledger cannot be read: without its record nothing may be decided.
   */
  async restore(): Promise<void> {
    const { ports } = this.#dependencies;
    this.#adoptActivePolicies();
    const shared = { ports, options: this.#dependencies.options, semaphore: this.#semaphore };
    const { unclaimed, departed } = await restorePolicies(shared, this.#runtimes);
    this.#unclaimed = unclaimed;
    for (const state of departed) this.#departed.add(state);
    const { replicaChanges } = ports;
    const ends = [
      replicaChanges.subscribe((change) => this.#noteChange(change)),
      replicaChanges.subscribeToSelectors((target) => this.#hasten(this.#runtimes.ofTarget(target))),
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
    const letGo = this.#departed.takeDue(now).map((state) => this.#track(this.#letGo(state)));
    await Promise.all([this.#completeLeaves(), this.#runDue(), ...letGo]);
  }

  async #runDue(): Promise<void> {
    if (this.#isEnding) return;
    const { clock, metrics } = this.#dependencies.ports;
    const now = clock.monotonicMilliseconds();
    const due = [...this.#takeDue(now), ...this.#takeExpired(now)];
    if (due.length === 0) return;
    for (const namespace of new Set(due.map(({ runtime }) => runtime.target.namespace)))
      this.#autoscalerClaims.refresh(this.#dependencies.ports, namespace);

    const tick = metrics.openTick();
    const passes: Promise<void>[] = [];
    for (const [index, pass] of due.entries()) {
      if (index > 0 && index % passesPerTurn === 0) await clock.nextTurn();
      passes.push(this.#track(this.#run(pass, tick)));
    }
    await Promise.all(passes);
  }

  /** The HPAs that Plimsoll made and that no policy explains, in force, on its way in, or leaving. */
  listOrphanedHpas(): readonly OwnedAutoscaler[] {
    const isExplained = (key: string): boolean =>
      this.#runtimes.get(key) !== undefined ||
      this.#leaving.has(key) ||
      this.#departed.has(key) ||
      this.#unclaimed.has(key);
    return orphanedHpas(this.#dependencies.ports.nativeAutoscalers.listOwned(), isExplained);
  }

  /**
   * Waits for the passes under way, 10 s at most, then seals every open run; no sweep may follow. A write that was sent
   * and not answered by then stays an intent without an outcome, which the next process resolves.
   */
  async shutdown(): Promise<void> {
    this.#unsubscribe();
    this.#isEnding = true;
    for (const deadline of this.#deadlines) deadline.shorten(shutdownMilliseconds, 'the process is ending');
    await Promise.allSettled(this.#running);
    await sealAll(this.#dependencies.ports, this.#runtimes.all());
  }

  async #run({ runtime, isEarly }: DuePass, metrics: MetricsTick): Promise<void> {
    const { ports, options } = this.#dependencies;
    ports.clock.noteWork(`pass of ${runtime.key}`);
    runtime.beginPass();
    const deadline = new Deadline(ports.clock, options.passTimeoutMilliseconds);
    this.#deadlines.add(deadline);
    try {
      await runPass({
        ...this.#dependencies,
        runtime,
        versionEnd: () => {
          this.#adoptActivePolicies();
          return runtime.versionEnd;
        },
        claims: this.#claims,
        semaphore: this.#semaphore,
        deadline,
        isEarly,
        metrics,
      });
    } finally {
      this.#deadlines.delete(deadline);
      runtime.endPass();
    }
    if (this.#runtimes.get(runtime.key) === runtime) {
      this.#awaitWindow(runtime);
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
    const now = this.#dependencies.ports.clock.monotonicMilliseconds();
    this.#leaving.noteChange(change, now);
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

  /** A pass when a window begins or ends. */
  #awaitWindow({ key, active }: PolicyRuntime): void {
    const { clock, windows } = this.#dependencies.ports;
    const milliseconds = untilNextWindow(windows, active, clock.now());
    if (milliseconds !== null) this.#dueTimes.hasten(key, clock.monotonicMilliseconds() + milliseconds);
  }

  #track(pass: Promise<void>): Promise<void> {
    this.#running.add(pass);
    return pass.finally(() => this.#running.delete(pass));
  }

  #takeDue(now: number): readonly DuePass[] {
    const begun = this.#runtimes
      .all()
      .filter((runtime) => !this.#lettingGo.has(runtime.key) && !this.#leaving.isAwaitedBy(runtime));
    const scheduled = begun.map(({ key, active }) => ({
      key,
      intervalSeconds: active.policy.intervalSeconds,
      version: versionOf(active),
    }));
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

  #welcome(runtime: PolicyRuntime): void {
    this.#claims.expect(runtime.key, runtime.active.policy.namespace);
    // Its HPA is being let go of: what is left of it then, it begins with.
    if (this.#departed.has(runtime.key) && this.#lettingGo.has(runtime.key)) return;
    const state = this.#departed.take(runtime.key) ?? this.#unclaimed.get(runtime.key);
    if (state === undefined) return;
    this.#unclaimed.delete(runtime.key);
    runtime.restore(state);
  }

  #adoptActivePolicies(): void {
    const { ports } = this.#dependencies;
    const { added, left } = this.#runtimes.adopt(ports.activePolicies.listActivePolicies());
    for (const leaving of left) {
      this.#releaseClaims(leaving.runtime);
      this.#leaving.add(leaving);
    }
    for (const runtime of added) this.#welcome(runtime);
  }

  /** Completes the records of policies that left, and runs those that waited for them. */
  async #completeLeaves(): Promise<void> {
    if (this.#isEnding) return;
    const due = this.#leaving.takeDue(this.#dependencies.ports.clock.monotonicMilliseconds());
    if (due.length === 0) return;
    await Promise.all(due.map((leaving) => this.#track(this.#completeLeave(leaving))));
    await this.#runDue();
  }

  async #completeLeave(leaving: LeavingPolicy): Promise<void> {
    const { ports, options } = this.#dependencies;
    const { runtime } = leaving;
    const deadline = new Deadline(ports.clock, options.passTimeoutMilliseconds);
    this.#deadlines.add(deadline);
    const pass = { ports, options, runtime, semaphore: this.#semaphore, deadline };
    try {
      const waitsFor = await completeLeave(pass, leaving, (left) => this.#endLeave(leaving, left));
      if (waitsFor !== null) this.#putOffLeave(leaving, waitsFor);
    } catch (error) {
      this.#putOffLeave(leaving, messageOf(error));
    } finally {
      deadline.clear();
      this.#deadlines.delete(deadline);
    }
  }

  #putOffLeave(leaving: LeavingPolicy, waitsFor: string): void {
    const { clock, log } = this.#dependencies.ports;
    const { key } = leaving.runtime;
    const isNews = leaving.waitsFor === null;
    this.#leaving.putOff(leaving, { now: clock.monotonicMilliseconds(), waitsFor });
    const text = `${key}  left, and its record is not complete yet: ${waitsFor}`;
    if (isNews) log.write({ level: 'warn', text, fields: { policy: key } });
  }

  /** Hands on what others go on with: the account of the target, and the state of the policy. */
  #endLeave(leaving: LeavingPolicy, left: PolicyState | null): void {
    const { runtime, successor } = leaving;
    const next = this.#leaving.finish(leaving) ?? this.#runtimes.ofTarget(runtime.target);
    next?.replicas.restore(runtime.replicas.accounted);
    if (left === null) return;
    const heir = successor ?? this.#runtimes.get(runtime.key);
    if (heir === undefined) this.#departed.add(left);
    else heir.restore(left);
  }

  /** While it runs, a policy that comes back under the name does not begin. */
  async #letGo(state: PolicyState): Promise<void> {
    const { ports, options } = this.#dependencies;
    const key = namespacedName(state.policy);
    this.#lettingGo.add(key);
    const deadline = new Deadline(ports.clock, options.passTimeoutMilliseconds);
    this.#deadlines.add(deadline);
    try {
      const left = await letGo({ ports, options, semaphore: this.#semaphore, deadline }, state);
      this.#departed.replace(key, left);
    } catch (error) {
      const text = `${key}  left, and could not be let go of yet: ${messageOf(error)}`;
      ports.log.write({ level: 'warn', text, fields: { policy: key } });
    } finally {
      deadline.clear();
      this.#deadlines.delete(deadline);
      this.#lettingGo.delete(key);
    }
    const back = this.#runtimes.get(key);
    const known = back === undefined ? undefined : this.#departed.take(key);
    if (known !== undefined) back?.restore(known);
  }
}

/** Most policies have no windows. A cron that cannot be read is the pass's business, which fails on it. */
function untilNextWindow(windows: WindowsPort, { policy }: ActivePolicy, time: string): number | null {
  if (policy.schedules.length === 0 && policy.freezes.length === 0) return null;
  try {
    return windows.untilNextChange(policy, time);
  } catch {
    return null;
  }
}

/** Documents that a commit left alone keep the commit that brought them, so they are not due again. */
function versionOf({ origin }: ActivePolicy): string {
  return `${origin.source} ${origin.commit.hash} ${origin.file}`;
}
