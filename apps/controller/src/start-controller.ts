import type { Logger } from 'pino';
import type { Configuration } from '#configuration';
import { namespacedName } from '#kernel';
import { administrationScope } from '#ledger';
import type { ReconcilePorts } from '#reconciliation';
import { AdminActions } from './admin/admin-actions.ts';
import { AdminQueries } from './admin/admin-queries.ts';
import { PullRequestLookup } from './admin/pull-request-lookup.ts';
import { StatusBoard } from './admin/status-board.ts';
import type { TokenRecord } from './auth/token-authenticator.ts';
import { type Cluster, openCluster } from './cluster.ts';
import { type OpenLedger, openLedger } from './database.ts';
import { type Forges, openForges } from './forge/open-forges.ts';
import { openPolicySync, type PolicySync } from './git-sync/policy-sync.ts';
import { ControllerMetrics } from './health/controller-metrics.ts';
import { type MetricsServer, startMetricsServer } from './health/metrics-server.ts';
import type { ReadinessCheck } from './health/readiness.ts';
import { type HttpApplication, startHttpApplication } from './http-application.ts';
import { toFieldLog, toSentenceLog } from './logging/log-port.ts';
import { createReconciler } from './reconcile/create-reconciler.ts';
import { CronWindows } from './reconcile/cron-windows.ts';
import { ReconcileLoop } from './reconcile/reconcile-loop.ts';
import { systemClock } from './reconcile/system-clock.ts';
import { recordSettings } from './record-settings.ts';
import { openWebhooks, type Webhooks } from './webhooks/open-webhooks.ts';

/** What a controller is started with. */
export interface ControllerOptions {
  readonly configuration: Configuration;
  readonly tokens: readonly TokenRecord[];
  readonly logger: Logger;
}

/** A running controller. */
export interface RunningController {
  /** Of the admin API. */
  readonly url: string;
  readonly metricsUrl: string;
  /** Looks at every source now. */
  readonly syncNow: () => Promise<void>;
  /** Ends writes under way, seals what is open, and closes everything; safe to call once. */
  readonly stop: () => Promise<void>;
}

/** How long the first list of the cluster may take before the start fails. */
const firstListMilliseconds = 60_000;

/**
 * Puts the parts together and starts them, each after what it stands on: ledger, cluster, policies, decisions, API.
 * Where one fails, those before it are closed again.
 *
 * @throws AdapterError or Error naming what could not be opened.
 */
export async function startController(options: ControllerOptions): Promise<RunningController> {
  const closers: (() => Promise<void>)[] = [];
  const stop = async (): Promise<void> => {
    for (let close = closers.pop(); close !== undefined; close = closers.pop()) await close();
  };
  try {
    return await startParts(options, closers, stop);
  } catch (error) {
    await stop();
    throw error;
  }
}

async function startParts(
  options: ControllerOptions,
  closers: (() => Promise<void>)[],
  stop: () => Promise<void>,
): Promise<RunningController> {
  const { configuration, logger } = options;
  const ledger = await openLedger(configuration, logger);
  closers.push(() => ledger.close());
  await recordSettings(configuration, ledger, systemClock);
  const cluster = openCluster(configuration, toFieldLog(logger));
  closers.push(() => cluster.stop());
  cluster.kubernetes.start();
  const forges = openForges({ configuration, ledger, logger });
  closers.push(() => forges.stop());
  const { observer } = forges;
  const sync = await openPolicySync({ configuration, ledger, cluster, observer, logger });
  closers.push(() => sync.stop());
  await Promise.all([cluster.kubernetes.whenSynced(firstListMilliseconds), sync.restore()]);
  const statuses = new StatusBoard();
  const loop = createLoop({ options, ledger, cluster, sync, statuses });
  const metrics = await startMetrics({ options, cluster, sync, statuses });
  closers.push(() => metrics.stop());
  const webhooks = openWebhooks({ configuration, syncNow: sync.syncNow, logger });
  closers.push(() => webhooks.stop());
  const http = await startApi({ options, ledger, sync, statuses, loop, cluster, forges, webhooks });
  closers.push(() => http.stop());
  await loop.start();
  closers.push(() => loop.stop());
  sync.beginLooking();
  logger.info({ url: http.url, metricsUrl: metrics.url, mode: configuration.mode }, 'serving the admin API');
  return { url: http.url, metricsUrl: metrics.url, syncNow: () => sync.syncNow(), stop };
}

interface Parts {
  readonly options: ControllerOptions;
  readonly ledger: OpenLedger;
  readonly cluster: Cluster;
  readonly sync: PolicySync;
  readonly statuses: StatusBoard;
  readonly loop: ReconcileLoop;
  readonly forges: Forges;
  readonly webhooks: Webhooks;
}

function createLoop({
  options,
  ledger,
  cluster,
  sync,
  statuses,
}: Omit<Parts, 'loop' | 'forges' | 'webhooks'>): ReconcileLoop {
  const { kubernetes, metrics } = cluster;
  const ports: ReconcilePorts = {
    activePolicies: sync.activePolicies,
    pods: kubernetes.pods,
    owners: kubernetes.owners,
    scale: kubernetes.scales,
    replicaChanges: kubernetes.replicaChanges,
    nativeAutoscalers: kubernetes.autoscalers,
    metrics,
    windows: new CronWindows(),
    kubernetesEvents: kubernetes.events,
    ledger: ledger.ledger,
    writer: ledger.writer,
    clock: systemClock,
    log: toSentenceLog(options.logger, 'reconciled'),
    reports: statuses,
  };
  const reconciler = createReconciler(options.configuration, ports);
  return new ReconcileLoop({ reconciler, logger: options.logger });
}

function startMetrics(
  parts: Pick<Parts, 'options' | 'cluster' | 'sync' | 'statuses'>,
): Promise<MetricsServer> {
  const { options, cluster, sync, statuses } = parts;
  const { listen } = options.configuration;
  const metrics = new ControllerMetrics(options.configuration.cluster.name, {
    policies: () => sync.activePolicies.listActivePolicies().length,
    cachedPods: () => cluster.kubernetes.health().pods,
    ownerCache: () => cluster.kubernetes.health().ownerCache,
  });
  statuses.subscribe((report) => metrics.record(report));
  sync.onChange(() => {
    const keys = new Set(
      sync.activePolicies.listActivePolicies().map(({ policy }) => namespacedName(policy)),
    );
    for (const gone of statuses.retain(keys)) metrics.forget(gone);
  });
  return startMetricsServer({
    address: listen.address,
    port: listen.metricsPort,
    registry: metrics.registry,
  });
}

function startApi(parts: Parts): Promise<HttpApplication> {
  const { options, ledger, sync, statuses, forges, webhooks } = parts;
  const pullRequests = new PullRequestLookup(forges.pullRequests);
  return startHttpApplication({
    listen: options.configuration.listen,
    tokens: options.tokens,
    queries: new AdminQueries({
      ledger: ledger.ledger,
      activePolicies: sync.activePolicies,
      statuses,
      sources: sync.sources,
    }),
    actions: new AdminActions({
      sources: sync.sources,
      pullRequests,
      writer: ledger.writer.under(() => ledger.held.of(administrationScope)),
      clock: systemClock,
    }),
    pullRequests,
    webhooks: webhooks.receiver,
    readinessChecks: readinessChecks(parts),
    logger: options.logger,
  });
}

function readinessChecks({ cluster, sync, loop }: Parts): readonly ReadinessCheck[] {
  return [
    {
      name: 'cluster',
      missing: () => {
        const waiting = cluster.kubernetes.health().informers.filter(({ isSynced }) => !isSynced);
        return waiting.length === 0
          ? undefined
          : `not listed yet: ${waiting.map(({ resource }) => resource).join(', ')}`;
      },
    },
    { name: 'policies', missing: () => sync.missing() },
    { name: 'reconcile', missing: () => (loop.hasSwept ? undefined : 'the first sweep has not ended') },
  ];
}
