import { setTimeout as delay } from 'node:timers/promises';
import { defaultSettings } from '#decision';
import { LedgerWriter } from '#ledger';
import { InMemoryLedger } from '#ledger/testing';
import { type PassReport, Reconciler, StandingInterventions } from '#reconciliation';
import {
  anActivePolicy,
  FakeActivePolicies,
  FakeJournal,
  FakeMetrics,
  FakePassReports,
  FakeRecommenders,
  FakeWindows,
  reconcileOptions,
} from '#reconciliation/testing';
import type { KubeObject } from '#simulator';
import { FastClock, speed } from './fast-clock.ts';
import {
  aDeployment,
  MovableTiming,
  type SimulatedKubernetes,
  startSimulatedKubernetes,
} from './simulated-kubernetes.ts';

/** Of policies and of their targets. */
export const names = ['p0', 'p1', 'p2', 'p3', 'p4'] as const;
export const calmReplicas = 4;
export const wantedReplicas = 6;

/** What the adapter waits for comes as much sooner as the clock is faster. */
class FastTiming extends MovableTiming {
  override readonly wait = (ms: number, signal?: AbortSignal): Promise<void> =>
    delay(ms / speed, undefined, signal === undefined ? {} : { signal });
}

/** The controller's own, where they differ from the decision's. */
const settings = { ...defaultSettings, maximumSampleAgeSeconds: 180, maximumFutureSeconds: 60 };
/** Of a clock that goes 20 times as fast: 4 s. */
const passTimeoutMilliseconds = 80_000;

/** A controller over five targets on a simulated API server, which goes wrong. */
export class FaultWorld {
  readonly ledger = new InMemoryLedger();
  readonly clock = new FastClock();
  readonly timing: MovableTiming;
  readonly reports = new FakePassReports();
  /** `p0 4 → 6` for each change of replicas that the API server has made. */
  readonly changes: string[] = [];
  readonly #metrics = new FakeMetrics();
  readonly #cluster: SimulatedKubernetes;
  #reconciler: Reconciler | undefined;

  private constructor(cluster: SimulatedKubernetes, timing: MovableTiming) {
    this.#cluster = cluster;
    this.timing = timing;
    for (const name of names) this.makeTarget(name);
    this.simulator.store.subscribe(({ type, object, previous }) => {
      const [from, to] = [replicasOf(previous), replicasOf(object)];
      if (object.kind === 'Deployment' && type === 'MODIFIED' && from !== to)
        this.changes.push(`${object.metadata.name} ${String(from)} → ${String(to)}`);
    });
  }

  static async start(): Promise<FaultWorld> {
    const timing = new FastTiming();
    const cluster = await startSimulatedKubernetes({ timing });
    const world = new FaultWorld(cluster, timing);
    await world.#start();
    return world;
  }

  get simulator(): SimulatedKubernetes['simulator'] {
    return this.#cluster.simulator;
  }

  makeTarget(name: string): void {
    this.simulator.objects.create(aDeployment(name, calmReplicas, name));
  }

  removeTarget(name: string): void {
    this.simulator.objects.delete({ apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'shop', name });
  }

  /** What every policy's metric asks for from now on. */
  want(replicas: number): void {
    for (const name of names) {
      const query = { namespace: 'shop', selector: `app=${name}` };
      this.#metrics.set(query, { kind: 'Answers', metrics: [{ values: [String(replicas)] }] });
    }
  }

  /** One interval later, one sweep. */
  async pass(): Promise<void> {
    this.clock.advance(15_000);
    await this.#reconciler?.sweep();
    await delay(20);
  }

  /** What the latest pass of a policy came to. */
  last(name: string): PassReport | undefined {
    return this.reports.reports.findLast(({ key }) => key === `shop/${name}`);
  }

  replicasOf(name: string): number | undefined {
    const object = { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'shop', name };
    return replicasOf(this.simulator.objects.find(object));
  }

  /** How often the list was made that was made most often. */
  get mostLists(): number {
    return Math.max(...this.#cluster.kubernetes.health().informers.map(({ lists }) => lists));
  }

  async stop(): Promise<void> {
    this.simulator.faults.clear();
    await this.#reconciler?.shutdown();
    await this.#cluster.stop();
  }

  async #start(): Promise<void> {
    const { ledger, clock, reports } = this;
    const writer = new LedgerWriter({
      port: ledger,
      fence: await ledger.takeOver('ledger'),
      cluster: 'test',
    });
    const { pods, owners, objects, scales: scale, replicaChanges, ...kubernetes } = this.#cluster.kubernetes;
    const activePolicies = new FakeActivePolicies();
    activePolicies.policies = names.map((name) =>
      anActivePolicy({ name, target: { apiVersion: 'apps/v1', kind: 'Deployment', name } }),
    );
    this.#reconciler = new Reconciler({
      ports: {
        ...{ activePolicies, pods, owners, objects, scale, replicaChanges },
        ...{ ledger, writer, clock, reports, log: this.#cluster.log, journal: new FakeJournal() },
        nativeAutoscalers: kubernetes.autoscalers,
        competingAutoscalers: kubernetes.competingAutoscalers,
        kubernetesEvents: kubernetes.events,
        metrics: this.#metrics,
        recommenders: new FakeRecommenders(),
        windows: new FakeWindows(),
        interventions: new StandingInterventions({ ledger, writer, clock }),
      },
      options: { ...reconcileOptions, settings, passTimeoutMilliseconds },
    });
    await this.#reconciler.restore();
  }
}

function replicasOf(object: KubeObject | undefined): number | undefined {
  const { spec } = (object ?? {}) as { readonly spec?: { readonly replicas?: number } };
  return spec?.replicas;
}
