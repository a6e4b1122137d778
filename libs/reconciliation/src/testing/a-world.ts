import type { ObservedMetric } from '#decision';
import type { AdapterError, JsonObject } from '#kernel';
import {
  type AppendBatch,
  type AppendRequest,
  type Fence,
  type LedgerPort,
  LedgerWriter,
  policiesOf,
  type PolicyDeparture,
  policyStream,
} from '#ledger';
import { InMemoryLedger, withAppend } from '#ledger/testing';
import type { EffectivePolicy } from '#policy';
import { FleetBrake, type FleetBrakeSettings } from '../brake/fleet-brake.ts';
import type { BrakeAmongReplicas } from '../brake/loss-wait.ts';
import { StandingInterventions } from '../interventions/standing-interventions.ts';
import { SettledWindows } from '../observe/settled-windows.ts';
import type { ReconcileOptions, ReconcilePorts } from '../pass/pass.ts';
import type { ActivePolicy } from '../policies/active-policy.ts';
import { scaleTargetOf } from '../policies/scale-target.ts';
import { FakeActivePolicies } from '../ports/active-policies.fake.ts';
import { FakeClock } from '../ports/clock.fake.ts';
import { FakeCompetingAutoscalers } from '../ports/competing-autoscalers.fake.ts';
import { FakeJournal } from '../ports/journal.fake.ts';
import { FakeKubernetesEvents } from '../ports/kubernetes-events.fake.ts';
import { FakeLog } from '../ports/log.fake.ts';
import { FakeMetrics } from '../ports/metrics.fake.ts';
import { FakeNativeAutoscalers } from '../ports/native-autoscalers.fake.ts';
import type {
  AutoscalerName,
  AutoscalerReplacement,
  AutoscalerVersionRetirement,
  NativeAutoscalersPort,
} from '../ports/native-autoscalers.port.ts';
import { FakeObjects } from '../ports/objects.fake.ts';
import { FakeOwners } from '../ports/owners.fake.ts';
import { FakePassReports } from '../ports/pass-reports.fake.ts';
import { FakePassSeries } from '../ports/pass-series.fake.ts';
import { FakePods } from '../ports/pods.fake.ts';
import { FakeRecommenders } from '../ports/recommenders.fake.ts';
import { FakeReplicaChanges } from '../ports/replica-changes.fake.ts';
import { FakeScales } from '../ports/scale.fake.ts';
import type { ScalePort, ScaleQuery, ScaleWrite, VersionRetirement } from '../ports/scale.port.ts';
import { FakeShards } from '../ports/shards.fake.ts';
import { FakeWindows } from '../ports/windows.fake.ts';
import type { WindowsPort } from '../ports/windows.port.ts';
import { Reconciler } from '../reconciler.ts';
import { anActivePolicy } from './a-policy.ts';
import { reconcileOptions } from './reconcile-options.ts';

/** A cluster, a ledger and a clock in memory; the reconciler in it can crash and start again. */
export class World {
  readonly activePolicies = new FakeActivePolicies();
  readonly pods = new FakePods();
  readonly owners = new FakeOwners();
  readonly objects = new FakeObjects();
  readonly scale = new FakeScales();
  readonly nativeAutoscalers = new FakeNativeAutoscalers();
  readonly competingAutoscalers = new FakeCompetingAutoscalers();
  readonly metrics = new FakeMetrics();
  readonly recommenders = new FakeRecommenders();
  readonly windows = new FakeWindows();
  /** Where processes look windows up. */
  calendar: WindowsPort = this.windows;
  readonly kubernetesEvents = new FakeKubernetesEvents();
  readonly ledger = new InMemoryLedger();
  readonly clock = new FakeClock();
  readonly journal = new FakeJournal();
  /** Of the process that runs. */
  writer: LedgerWriter | null = null;
  readonly log = new FakeLog();
  readonly shards = new FakeShards();
  /** What processes take at their start. */
  taken: readonly number[] = [0];
  reports = new FakePassReports();
  readonly series = new FakePassSeries();
  /** Of the process that runs. */
  interventions = this.#interventionsWith(null);
  /** Of every intervention that begins or ends from now on; null: they are recorded. */
  interventionFault: AdapterError | null = null;
  brakeSettings: FleetBrakeSettings = {
    targetsPercent: 20,
    minimumTargets: 10,
    replicasPercent: 50,
    minutes: 60,
  };
  /** What each process knows of others; undefined: there are none. */
  otherReplicas: BrakeAmongReplicas | undefined;
  /** Of the process that runs. */
  brake = this.#brake();
  replicaChanges = new FakeReplicaChanges();
  options: ReconcileOptions = reconcileOptions;

  /** Puts a policy in force, with a target of so many replicas and one pod. */
  add(changes: Partial<EffectivePolicy>, replicas: number): ActivePolicy {
    const active = anActivePolicy(changes);
    const { namespace, name } = active.policy;
    this.activePolicies.policies = [...this.activePolicies.policies, active];
    this.scale.set(scaleTargetOf(active.policy), replicas);
    this.pods.set({ namespace, selector: `app=${name}` }, [{ name: `${name}-1`, phase: 'Running' }]);
    return active;
  }

  /** How many replicas the policy's metric asks for from now on: a queue of so many items, one per replica. */
  proposes({ policy }: ActivePolicy, replicas: number): void {
    const metrics: ObservedMetric[] = [{ values: [String(replicas)] }];
    this.metrics.set(queryOf(policy), { kind: 'Answers', metrics });
  }

  /** `spec.replicas` of the policy's target now. */
  replicasOf({ policy }: ActivePolicy): number | undefined {
    return this.scale.replicasOf(scaleTargetOf(policy));
  }

  /** Records that a policy left, as the sync does after the fact. */
  async recordDeparture(
    { policy, document, origin }: ActivePolicy,
    departure: PolicyDeparture,
  ): Promise<void> {
    const writer = new LedgerWriter({
      port: this.ledger,
      fence: await this.ledger.takeOver('source/fleet'),
      cluster: 'test',
    });
    const { namespace, name } = policy;
    const payload = {
      policy: { namespace, name },
      source: 'fleet',
      before: document,
      after: null,
      departure,
      commit: origin.commit,
    };
    const draft = {
      stream: policyStream(policy),
      time: this.clock.now(),
      kind: 'PolicyChange',
      payload,
    } as const;
    await writer.append({ drafts: [draft] });
  }

  #process = 0;
  #unwatch: () => void = () => undefined;

  /** A new process on the same cluster and ledger; the one before is dead, whatever it was doing. */
  async start(): Promise<Reconciler> {
    this.#process += 1;
    this.reports = new FakePassReports();
    const replicaChanges = new FakeReplicaChanges();
    this.replicaChanges = replicaChanges;
    this.#unwatch();
    this.#unwatch = this.scale.watch((change) => replicaChanges.report(change));
    const fence = await this.ledger.takeOver('ledger');
    const writer = new LedgerWriter({
      port: this.#mortalLedger(),
      // As in the controller, where the fences of a request follow from its policies.
      fence: (request) => fencesFor(request, fence),
      cluster: 'test',
      beforeRetry: () => new Promise((resolve) => this.clock.schedule(1_000, () => resolve(true))),
    });
    this.interventions = this.#interventionsWith(writer.under(fence));
    this.brake = this.#brake();
    this.writer = writer;
    const reconciler = new Reconciler({
      ports: this.#portsWith(writer),
      options: this.options,
    });
    await reconciler.take(this.taken);
    return reconciler;
  }

  #interventionsWith(writer: LedgerWriter | null): StandingInterventions {
    const { ledger, clock } = this;
    const append: LedgerWriter['append'] = (request) => {
      if (writer === null) throw new Error('no process runs');
      return this.interventionFault === null
        ? writer.append(request)
        : Promise.reject(this.interventionFault);
    };
    return new StandingInterventions({ ledger, writer: { append }, clock });
  }

  #brake(): FleetBrake {
    const { interventions, activePolicies, shards, clock, log, brakeSettings: settings } = this;
    const newId = (): string => `brake-${this.ledger.payloadsOf('OperatorAction').length + 1}`;
    const replicas = this.otherReplicas;
    return new FleetBrake({ interventions, activePolicies, shards, replicas, clock, log, newId, settings });
  }

  /** What a dead process asks is never answered, and never done. */
  #mortal<A extends readonly unknown[], R>(act: (...given: A) => Promise<R>): (...given: A) => Promise<R> {
    const born = this.#process;
    return (...given) => (born === this.#process ? act(...given) : new Promise(() => undefined));
  }

  #mortalLedger(): LedgerPort {
    const { ledger } = this;
    return withAppend(
      ledger,
      this.#mortal((batch: AppendBatch) => ledger.append(batch)),
    );
  }

  #mortalScale(): ScalePort {
    const { scale } = this;
    return {
      cachedScale: (target) => scale.cachedScale(target),
      readScale: this.#mortal((query: ScaleQuery) => scale.readScale(query)),
      writeScale: this.#mortal((write: ScaleWrite, signal: AbortSignal) => scale.writeScale(write, signal)),
      retireVersion: this.#mortal((retirement: VersionRetirement) => scale.retireVersion(retirement)),
    };
  }

  #mortalAutoscalers(): NativeAutoscalersPort {
    const { nativeAutoscalers: port } = this;
    return {
      listAutoscalers: (namespace) => port.listAutoscalers(namespace),
      listOwned: () => port.listOwned(),
      askedLately: (name) => port.askedLately(name),
      serverVersion: () => port.serverVersion(),
      readAutoscaler: this.#mortal((name: AutoscalerName) => port.readAutoscaler(name)),
      createAutoscaler: this.#mortal((document: JsonObject, signal: AbortSignal) =>
        port.createAutoscaler(document, signal),
      ),
      replaceAutoscaler: this.#mortal((write: AutoscalerReplacement, signal: AbortSignal) =>
        port.replaceAutoscaler(write, signal),
      ),
      deleteAutoscaler: this.#mortal(
        (write: AutoscalerName & { readonly uid: string }, signal: AbortSignal) =>
          port.deleteAutoscaler(write, signal),
      ),
      retireVersion: this.#mortal((retirement: AutoscalerVersionRetirement) =>
        port.retireVersion(retirement),
      ),
    };
  }

  #portsWith(writer: LedgerWriter): ReconcilePorts {
    const { activePolicies, pods, owners, objects, metrics, recommenders, calendar } = this;
    const nativeAutoscalers = this.#mortalAutoscalers();
    const scale = this.#mortalScale();
    const { kubernetesEvents, ledger, journal, clock, log, reports, series, replicaChanges } = this;
    const seen = { activePolicies, pods, owners, objects, scale, nativeAutoscalers, replicaChanges };
    const { competingAutoscalers, interventions, brake, shards } = this;
    const windows = new SettledWindows({ windows: calendar, clock, log });
    return {
      ...seen,
      shards,
      competingAutoscalers,
      interventions,
      brake,
      metrics,
      recommenders,
      windows,
      kubernetesEvents,
      ledger,
      writer,
      journal,
      clock,
      log,
      reports,
      series,
    };
  }

  /** One sweep, an interval later by default. As long as it waits, time goes on. */
  async pass(reconciler: Reconciler, afterMilliseconds = 15_000): Promise<void> {
    this.clock.advance(afterMilliseconds);
    const sweep = { hasEnded: false };
    const ended = reconciler.sweep().finally(() => {
      sweep.hasEnded = true;
    });
    await flushMicrotasks();
    while (!sweep.hasEnded) {
      this.clock.advance(1_000);
      await flushMicrotasks();
    }
    await ended;
  }
}

/** @throws Error on a request that is about no policy: a bug */
function fencesFor(request: AppendRequest, fence: Fence): readonly Fence[] {
  const policies = policiesOf(request);
  if (policies.length === 0) throw new Error('an append about no policy needs a fence of its own');
  return policies.map(() => fence);
}

/** The fake metrics' key of a policy. */
export function queryOf({ namespace, name }: EffectivePolicy): {
  readonly namespace: string;
  readonly selector: string;
} {
  return { namespace, selector: `app=${name}` };
}

/** Lets everything run that waits for nothing outside. */
export async function flushMicrotasks(): Promise<void> {
  for (let turn = 0; turn < 300; turn += 1) await Promise.resolve();
}
