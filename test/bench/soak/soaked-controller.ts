import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type LedgerDatabase, openLedgerDatabase } from '#adapter-sql';
import { type Configuration, readConfiguration } from '#configuration';
import { parseDecideInput } from '#decision';
import { err, type JsonObject, namespacedName } from '#kernel';
import { LedgerWriter, shardScope } from '#ledger';
import { type ActivePolicy, type ClockPort, type Reconciler, StandingInterventions } from '#reconciliation';
import { SimulationClock, type Simulator, startSimulator } from '#simulator';
import { StatusRegistry } from '../../../apps/controller/src/admin/status-registry.ts';
import { type Cluster, openCluster } from '../../../apps/controller/src/cluster/open-cluster.ts';
import { ControllerMetrics } from '../../../apps/controller/src/metrics/controller-metrics.ts';
import { policyMetrics } from '../../../apps/controller/src/metrics/policy-metrics.ts';
import { renderPolicySeries } from '../../../apps/controller/src/metrics/policy-series.ts';
import { createReconciler } from '../../../apps/controller/src/reconcile/create-reconciler.ts';
import { CronWindows } from '../../../apps/controller/src/reconcile/cron-windows.ts';
import { takeFence } from '../take-fence.ts';

const namespace = 'shop';
const policies = 4;
const begun = Date.parse('2026-01-01T00:00:00Z');
const syncMilliseconds = 30_000;
/** Small, so that it is full within minutes: the simulator shares this process's memory. */
const historyLimit = 200;

/** A reconciler with its adapters on a simulated cluster, in this process, at the time of the simulator's clock. */
export class SoakedController {
  passes = 0;
  scalings = 0;
  readonly #simulator: Simulator;
  readonly #clock: ClockPort;
  readonly #statuses = new StatusRegistry();
  readonly #metrics: ControllerMetrics;
  #active: readonly ActivePolicy[] = [];
  #made = 0;
  #stops: readonly (() => Promise<unknown>)[] = [];
  #reconciler: Reconciler | undefined;

  private constructor(simulator: Simulator) {
    this.#simulator = simulator;
    this.#clock = clockOf(simulator.clock);
    this.#metrics = new ControllerMetrics('soak', {
      policies: () => this.#active.length,
      hpaPolicies: () => this.#active.length,
      ledgerQueue: () => 0,
      degraded: () => [],
      cachedPods: () => 0,
      authenticationFailures: () => new Map(),
      limitedRequests: () => new Map(),
      orphanedHpas: () => this.#reconciler?.listOrphanedHpas().length ?? 0,
    });
    this.#statuses.subscribe((report) => {
      this.passes += 1;
      if (report.outcome.reason === 'Scaled') this.scalings += 1;
      this.#metrics.record(report);
    });
  }

  static async start(folder: string): Promise<SoakedController> {
    const clock = SimulationClock.manual(begun);
    const simulator = await startSimulator({ clock, historyLimit, metricsResolutionSeconds: 15 });
    const controller = new SoakedController(simulator);
    await controller.#open(folder);
    return controller;
  }

  /** So many seconds later, one sweep. */
  async sweep(seconds: number): Promise<void> {
    this.#simulator.clock.advance(seconds * 1_000);
    // What the watches carry arrives before the next sweep, or later: both are right.
    await nextTurn();
    await this.#reconciler?.sweep();
  }

  /** Forgets the cluster's history, as its database does every few minutes: every watch begins anew. */
  compact(): void {
    this.#simulator.compact();
    this.#simulator.faults.dropWatches();
  }

  /** The oldest policy leaves with its target, and another comes under a new name. */
  replacePolicy(): void {
    const [oldest, ...others] = this.#active;
    if (oldest !== undefined)
      this.#simulator.objects.delete({ ...deploymentKind, namespace, name: oldest.policy.name });
    this.#active = [...others, this.#makePolicy()];
  }

  /** Renders what Prometheus would get, as the metrics' server does. @returns the number of series of policies */
  async scrape(): Promise<number> {
    const inForce = new Set(this.#active.map(({ policy }) => namespacedName(policy)));
    for (const gone of this.#statuses.retain(inForce)) this.#metrics.forget(gone);
    const ofPolicies = renderPolicySeries({
      metrics: policyMetrics,
      scope: 'All',
      cluster: 'soak',
      reports: () => this.#statuses.list(),
      scaledReplicas: this.#metrics.scaledReplicas,
      now: () => this.#simulator.clock.now(),
    });
    const text = [await this.#metrics.registry.metrics(), ...ofPolicies].join('');
    return text.split('\n').filter((line) => /"web-\d+"/.test(line)).length;
  }

  async stop(): Promise<void> {
    for (const stop of this.#stops) await stop();
  }

  async #open(folder: string): Promise<void> {
    const { objects, load } = this.#simulator;
    objects.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
    const day = { periodSeconds: 86_400, peakSeconds: 43_200 };
    load.setExternal({ namespace, metric: 'queue', series: { kind: 'Wave', low: 20, high: 100, ...day } });
    this.#active = Array.from({ length: policies }, () => this.#makePolicy());
    this.#simulator.clock.advance(60_000);
    const configuration = await configurationIn(folder, this.#simulator.kubeconfigYaml);
    const log = { write: () => undefined };
    const cluster = openCluster(configuration, { log, noteWork: () => undefined });
    this.#stops = [() => cluster.stop(), () => this.#simulator.stop()];
    cluster.kubernetes.start();
    await cluster.kubernetes.whenSynced(syncMilliseconds);
    const database = await openLedgerDatabase({ url: configuration.database.url });
    this.#stops = [() => cluster.stop(), () => database.close(), () => this.#simulator.stop()];
    this.#reconciler = await this.#makeReconciler({ configuration, cluster, database });
    await this.#reconciler.restore();
  }

  async #makeReconciler(parts: {
    readonly configuration: Configuration;
    readonly cluster: Cluster;
    readonly database: LedgerDatabase;
  }): Promise<Reconciler> {
    const { configuration, cluster, database } = parts;
    const { kubernetes, metrics } = cluster;
    const { ledger } = database;
    const fence = await takeFence(database.fences, shardScope(0));
    const writer = new LedgerWriter({ port: ledger, fence, cluster: 'soak' });
    return createReconciler(configuration, {
      activePolicies: { listActivePolicies: () => this.#active },
      pods: kubernetes.pods,
      owners: kubernetes.owners,
      objects: kubernetes.objects,
      scale: kubernetes.scales,
      replicaChanges: kubernetes.replicaChanges,
      nativeAutoscalers: kubernetes.autoscalers,
      competingAutoscalers: kubernetes.competingAutoscalers,
      metrics,
      recommenders: metrics.recommenders,
      windows: new CronWindows(),
      interventions: new StandingInterventions({ ledger, writer, clock: this.#clock }),
      kubernetesEvents: kubernetes.events,
      ledger,
      writer,
      journal: { isInUse: false, record: () => Promise.resolve(err({ code: 'JournalFull', message: '' })) },
      clock: this.#clock,
      log: { write: () => undefined },
      reports: this.#statuses,
    });
  }

  #makePolicy(): ActivePolicy {
    this.#made += 1;
    const name = `web-${this.#made}`;
    this.#simulator.objects.create(deploymentOf(name));
    const document = documentOf(name, this.#made);
    const observation = { time: new Date(begun).toISOString(), scale: { specReplicas: 1 } };
    const input = parseDecideInput({ policy: document, settings: {}, observation, memory: {} });
    if (!input.ok) throw new Error(`${input.error.path}: ${input.error.message}`);
    const commit = {
      hash: String(this.#made).padStart(40, '0'),
      author: 'Alex Example <alex@example.com>',
      subject: `Add ${name}`,
      time: new Date(begun).toISOString(),
    };
    const origin = { source: 'soak', commit, file: `${name}.yaml`, line: 1 };
    return { policy: input.value.policy, document, origin };
  }
}

const deploymentKind = { apiVersion: 'apps/v1', kind: 'Deployment' };

function documentOf(name: string, index: number): JsonObject {
  return {
    apiVersion: 'plimsoll.dev/v1alpha1',
    kind: 'AutoscalingPolicy',
    metadata: { name, namespace },
    spec: {
      scaleTargetRef: { ...deploymentKind, name },
      interval: '5m',
      minReplicas: 1,
      maxReplicas: 20,
      ...(index % 2 === 0 ? { selectionStrategy: 'OwnerReference' } : {}),
      schedules: [{ name: 'noon', cron: '0 12 * * *', timeZone: 'UTC', duration: '1h', minReplicas: 12 }],
      metrics: [
        {
          type: 'Resource',
          resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 60 } },
        },
        {
          type: 'External',
          external: { metric: { name: 'queue' }, target: { type: 'AverageValue', averageValue: 10 } },
        },
      ],
    },
  };
}

function deploymentOf(name: string): Parameters<Simulator['objects']['create']>[0] {
  const labels = { app: name };
  const container = { name: 'app', image: 'app', resources: { requests: { cpu: '100m' } } };
  return {
    ...deploymentKind,
    metadata: { namespace, name },
    spec: {
      replicas: 2,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [container] } },
    },
  };
}

async function configurationIn(folder: string, kubeconfig: string): Promise<Configuration> {
  const file = join(folder, 'kubeconfig');
  await writeFile(file, kubeconfig);
  const text = JSON.stringify({
    cluster: { name: 'soak', kubeconfig: file },
    mode: 'Act',
    namespaces: ['*'],
    dataFolder: join(folder, 'data'),
    database: { url: `sqlite:${join(folder, 'ledger.db')}` },
    sources: [{ name: 'soak', url: 'https://git.example.com/policies.git' }],
  });
  const configuration = readConfiguration({ file: { name: 'soak', text }, environment: {} });
  if (configuration.ok) return configuration.value;
  throw new Error(configuration.error.join('\n'));
}

/** Deadlines are real: nothing here takes as long. */
function clockOf(clock: SimulationClock): ClockPort {
  return {
    now: () => new Date(clock.now()).toISOString(),
    monotonicMilliseconds: () => clock.now() - begun,
    schedule: (milliseconds, callback) => {
      const timer = setTimeout(callback, milliseconds).unref();
      return () => clearTimeout(timer);
    },
    nextTurn: () => nextTurn(),
    noteWork: () => undefined,
  };
}
