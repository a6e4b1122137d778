import { type ChildProcess, fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type LedgerDatabase, openLedgerDatabase } from '#adapter-sql';
import { type Configuration, configurationErrorText, readConfiguration } from '#configuration';
import { parseDecideInput } from '#decision';
import { err, type JsonObject, namespacedName } from '#kernel';
import { LedgerWriter, shardScope } from '#ledger';
import { CronWindows } from '#policy';
import {
  type ActivePolicy,
  type ClockPort,
  FleetBrake,
  type Reconciler,
  SettledWindows,
  StandingInterventions,
} from '#reconciliation';
import { type Cluster, openCluster } from '../../../apps/controller/src/cluster/open-cluster.ts';
import { ControllerMetrics } from '../../../apps/controller/src/metrics/controller-metrics.ts';
import { policyMetrics } from '../../../apps/controller/src/metrics/policy-metrics.ts';
import { renderPolicySeries } from '../../../apps/controller/src/metrics/policy-series.ts';
import { createReconciler } from '../../../apps/controller/src/reconcile/create-reconciler.ts';
import { StatusRegistry } from '../../../apps/controller/src/reconcile/status-registry.ts';
import { takeFence } from '../take-fence.ts';
import type { SoakedClusterAnswer, SoakedClusterRequest } from './soaked-cluster.ts';

const namespace = 'shop';
const policies = 4;
const syncMilliseconds = 30_000;

/** A reconciler with its adapters, on a simulated cluster in another process, at the time of that cluster's clock. */
export class SoakedController {
  passes = 0;
  scalings = 0;
  readonly #cluster: ChildProcess;
  readonly #clock: ClockPort;
  readonly #begun: number;
  readonly #statuses = new StatusRegistry();
  readonly #metrics: ControllerMetrics;
  #active: readonly ActivePolicy[] = [];
  #made = 0;
  #now: number;
  #stops: readonly (() => Promise<unknown>)[] = [];
  #reconciler: Reconciler | undefined;

  private constructor(cluster: ChildProcess, { now }: SoakedClusterAnswer) {
    this.#cluster = cluster;
    this.#begun = now;
    this.#now = now;
    this.#clock = this.#openClock();
    this.#metrics = new ControllerMetrics('soak', {
      policies: () => this.#active.length,
      hpaPolicies: () => this.#active.length,
      ledgerQueue: () => 0,
      degraded: () => [],
      cachedPods: () => 0,
      orphanedHpas: () => this.#reconciler?.listOrphanedHpas().length ?? 0,
    });
    this.#statuses.subscribe((report) => {
      this.passes += 1;
      if (report.outcome.reason === 'Scaled') this.scalings += 1;
      this.#metrics.record(report);
    });
  }

  static async start(folder: string): Promise<SoakedController> {
    const cluster = fork(join(import.meta.dirname, 'soaked-cluster.ts'), { execArgv: [] });
    const [answer] = (await once(cluster, 'message')) as [SoakedClusterAnswer];
    const controller = new SoakedController(cluster, answer);
    await controller.#open(folder, answer.kubeconfig);
    return controller;
  }

  /** So many seconds later, one sweep. */
  async sweep(seconds: number): Promise<void> {
    await this.#ask({ kind: 'Advance', milliseconds: seconds * 1_000 });
    // What the watches carry arrives before the next sweep, or later: both are right.
    await nextTurn();
    await this.#reconciler?.sweep();
  }

  async compact(): Promise<void> {
    await this.#ask({ kind: 'Compact' });
  }

  /** The oldest policy leaves with its target, and another comes under a new name. */
  async replacePolicy(): Promise<void> {
    const [oldest, ...others] = this.#active;
    if (oldest !== undefined) await this.#ask({ kind: 'Delete', name: oldest.policy.name });
    this.#active = [...others, await this.#makePolicy()];
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
      now: () => this.#now,
    });
    const text = [await this.#metrics.registry.metrics(), ...ofPolicies].join('');
    return text.split('\n').filter((line) => /"web-\d+"/.test(line)).length;
  }

  async stop(): Promise<void> {
    for (const stop of this.#stops) await stop();
  }

  async #ask(request: SoakedClusterRequest): Promise<void> {
    const answered = once(this.#cluster, 'message') as Promise<[SoakedClusterAnswer]>;
    this.#cluster.send(request);
    const [{ now }] = await answered;
    this.#now = now;
  }

  async #open(folder: string, kubeconfig: string): Promise<void> {
    const stopCluster = (): Promise<unknown> => {
      const ended = once(this.#cluster, 'exit');
      this.#cluster.disconnect();
      return ended;
    };
    this.#stops = [stopCluster];
    while (this.#active.length < policies) this.#active = [...this.#active, await this.#makePolicy()];
    await this.#ask({ kind: 'Advance', milliseconds: 60_000 });
    const configuration = await configurationIn(folder, kubeconfig);
    const log = { write: () => undefined };
    const cluster = openCluster(configuration, { log, noteWork: () => undefined });
    this.#stops = [() => cluster.stop(), stopCluster];
    cluster.kubernetes.start();
    await cluster.kubernetes.whenSynced(syncMilliseconds);
    const database = await openLedgerDatabase({ url: configuration.database.url });
    this.#stops = [() => cluster.stop(), () => database.close(), stopCluster];
    this.#reconciler = await this.#makeReconciler({ configuration, cluster, database });
    await this.#reconciler.take([0]);
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
    const clock = this.#clock;
    const activePolicies = { listActivePolicies: () => this.#active };
    const log = { write: () => undefined };
    const interventions = new StandingInterventions({ ledger, writer, clock });
    const settings = configuration.fleetBrake;
    const shards = { shardOf: () => 0, mayWrite: () => true };
    return createReconciler(configuration, {
      activePolicies,
      pods: kubernetes.pods,
      owners: kubernetes.owners,
      objects: kubernetes.objects,
      scale: kubernetes.scales,
      replicaChanges: kubernetes.replicaChanges,
      nativeAutoscalers: kubernetes.autoscalers,
      competingAutoscalers: kubernetes.competingAutoscalers,
      metrics,
      recommenders: metrics.recommenders,
      windows: new SettledWindows({ windows: new CronWindows(), clock, log }),
      interventions,
      brake: new FleetBrake({
        interventions,
        activePolicies,
        shards,
        clock,
        log,
        settings,
        newId: randomUUID,
      }),
      shards,
      kubernetesEvents: kubernetes.events,
      ledger,
      writer,
      journal: { isInUse: false, record: () => Promise.resolve(err({ code: 'JournalFull', message: '' })) },
      clock,
      log,
      reports: this.#statuses,
    });
  }

  async #makePolicy(): Promise<ActivePolicy> {
    this.#made += 1;
    const name = `web-${this.#made}`;
    await this.#ask({ kind: 'Create', name });
    const document = documentOf(name, this.#made);
    const observation = { time: new Date(this.#begun).toISOString(), scale: { specReplicas: 1 } };
    const input = parseDecideInput({ policy: document, settings: {}, observation, memory: {} });
    if (!input.ok) throw new Error(`${input.error.path}: ${input.error.message}`);
    const commit = {
      hash: String(this.#made).padStart(40, '0'),
      author: 'Alex Example <alex@example.com>',
      subject: `Add ${name}`,
      time: new Date(this.#begun).toISOString(),
    };
    const origin = { source: 'soak', commit, file: `${name}.yaml`, line: 1 };
    return { policy: input.value.policy, document, origin };
  }

  /** Deadlines are real: nothing here takes as long. */
  #openClock(): ClockPort {
    return {
      now: () => new Date(this.#now).toISOString(),
      monotonicMilliseconds: () => this.#now - this.#begun,
      schedule: (milliseconds, callback) => {
        const timer = setTimeout(callback, milliseconds).unref();
        return () => clearTimeout(timer);
      },
      nextTurn: () => nextTurn(),
      noteWork: () => undefined,
    };
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
  throw new Error(configuration.error.map(configurationErrorText).join('\n'));
}
