import { setTimeout as delay } from 'node:timers/promises';
import type { Kubernetes } from '#adapter-kubernetes';
import { defaultSettings } from '#decision';
import { LedgerWriter } from '#ledger';
import { InMemoryLedger } from '#ledger/testing';
import type { EffectivePolicy } from '#policy';
import { type PassReport, Reconciler, StandingInterventions } from '#reconciliation';
import {
  anActivePolicy,
  anOpenBrake,
  FakeActivePolicies,
  FakeJournal,
  type FakeLog,
  FakeMetrics,
  FakePassReports,
  FakeRecommenders,
  FakeShards,
  FakeWindows,
  reconcileOptions,
} from '#reconciliation/testing';
import { FastClock, speed } from './fast-clock.ts';
import { MovableTiming } from './simulated-kubernetes.ts';

/** Of policies and of their targets, Deployments. */
export const names = ['p0', 'p1', 'p2', 'p3', 'p4'] as const;
export const calmReplicas = 4;
export const wantedReplicas = 6;

/** What the adapter waits for comes as much sooner as the clock is faster. */
export class FastTiming extends MovableTiming {
  override readonly wait = (ms: number, signal?: AbortSignal): Promise<void> =>
    delay(ms / speed, undefined, signal === undefined ? {} : { signal });
}

/** The controller's own, where they differ from the decision's. */
const settings = { ...defaultSettings, maximumSampleAgeSeconds: 180, maximumFutureSeconds: 60 };
/** Of a clock that goes 20 times as fast: 4 s. */
const passTimeoutMilliseconds = 80_000;

/** What the policies are carried out by. */
type Actuation = EffectivePolicy['actuation'];

/** An API server that goes wrong, with the targets. */
export interface FaultCluster {
  readonly kubernetes: Kubernetes;
  readonly log: FakeLog;
  readonly timing: MovableTiming;
  readonly namespace: string;
  /** What a policy writes: the replicas of its target, or the maximum of its HPA. */
  readonly replicasOf: (name: string) => number | undefined;
  /** `p0 4 → 6` for each change of it that the API server has made. */
  readonly changes: readonly string[];
  readonly stop: () => Promise<void>;
}

/** A controller over five targets on an API server that goes wrong. */
export class FaultWorld<Cluster extends FaultCluster = FaultCluster> {
  readonly ledger = new InMemoryLedger();
  readonly clock = new FastClock();
  readonly reports = new FakePassReports();
  readonly cluster: Cluster;
  readonly actuation: Actuation;
  readonly #activePolicies = new FakeActivePolicies();
  readonly #metrics = new FakeMetrics();
  #reconciler: Reconciler | undefined;

  private constructor(cluster: Cluster, actuation: Actuation) {
    this.cluster = cluster;
    this.actuation = actuation;
  }

  static async start<Cluster extends FaultCluster>(
    cluster: Cluster,
    actuation: Actuation = 'Scale',
  ): Promise<FaultWorld<Cluster>> {
    const world = new FaultWorld(cluster, actuation);
    await world.#start();
    return world;
  }

  /** What every policy's metric asks for from now on; of a rendered one, the maximum that its document says. */
  want(replicas: number): void {
    const rendered = { actuation: this.actuation, maxReplicas: replicas };
    this.#activePolicies.policies = names.map((name) =>
      anActivePolicy({
        namespace: this.cluster.namespace,
        name,
        target: { apiVersion: 'apps/v1', kind: 'Deployment', name },
        ...(this.actuation === 'Scale' ? {} : rendered),
      }),
    );
    for (const name of names) {
      const query = { namespace: this.cluster.namespace, selector: `app=${name}` };
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
    return this.reports.reports.findLast(({ key }) => key === `${this.cluster.namespace}/${name}`);
  }

  /** How often the list was made that was made most often. */
  get mostLists(): number {
    return Math.max(...this.cluster.kubernetes.health().informers.map(({ lists }) => lists));
  }

  async stop(): Promise<void> {
    await this.#reconciler?.shutdown();
    await this.cluster.stop();
  }

  async #start(): Promise<void> {
    const { ledger, clock, reports } = this;
    const { log } = this.cluster;
    const activePolicies = this.#activePolicies;
    const writer = new LedgerWriter({
      port: ledger,
      fence: await ledger.takeOver('ledger'),
      cluster: 'test',
    });
    const { pods, owners, objects, scales: scale, replicaChanges, ...kubernetes } = this.cluster.kubernetes;
    this.want(calmReplicas);
    this.#reconciler = new Reconciler({
      ports: {
        ...{ activePolicies, pods, owners, objects, scale, replicaChanges },
        ...{ ledger, writer, clock, reports, log, journal: new FakeJournal() },
        nativeAutoscalers: kubernetes.autoscalers,
        competingAutoscalers: kubernetes.competingAutoscalers,
        kubernetesEvents: kubernetes.events,
        metrics: this.#metrics,
        recommenders: new FakeRecommenders(),
        windows: new FakeWindows(),
        brake: anOpenBrake,
        shards: new FakeShards(),
        interventions: new StandingInterventions({ ledger, writer, clock }),
      },
      options: { ...reconcileOptions, settings, passTimeoutMilliseconds },
    });
    await this.#reconciler.take([0]);
  }
}
