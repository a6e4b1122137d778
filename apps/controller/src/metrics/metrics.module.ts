import { Module } from '@nestjs/common';
import { namespacedName } from '#kernel';
import { LedgerWriter } from '#ledger';
import { Reconciler, StandingInterventions } from '#reconciliation';
import { AuthModule } from '../auth/auth.module.ts';
import { RequestGate } from '../auth/gate/request-gate.ts';
import { AuthenticationFailures } from '../auth/limits/authentication-failures.ts';
import { RequestRates } from '../auth/limits/request-rates.ts';
import { CheckpointPublisher } from '../checkpoints/checkpoint-publisher.ts';
import { ClusterModule, clusterToken } from '../cluster/cluster.module.ts';
import {
  clockToken,
  configurationToken,
  loggerToken,
  logOutputToken,
} from '../configuration/configuration.module.ts';
import { ModeInForce } from '../configuration/mode-in-force.ts';
import { Holdings } from '../coordination/holdings/holdings.ts';
import { leadershipToken } from '../coordination/shards/leadership.ts';
import { Shards } from '../coordination/shards/shards.ts';
import { GitSyncModule, policySyncToken, sourceOperationsToken } from '../git-sync/git-sync.module.ts';
import { Degradations } from '../health/degradations.ts';
import { HealthModule } from '../health/health.module.ts';
import { HttpModule } from '../http/http.module.ts';
import { HttpListener } from '../http/http-listener.ts';
import { LedgerModule } from '../ledger/ledger.module.ts';
import { OutageJournal } from '../ledger/outage-journal.ts';
import { LoopActivities } from '../logging/loop-activities.ts';
import { factoryProvider } from '../provider.ts';
import { ReconcileModule } from '../reconcile/reconcile.module.ts';
import { StatusRegistry } from '../reconcile/status-registry.ts';
import { ConfigurationReload } from '../reload/configuration-reload.ts';
import { ReloadModule } from '../reload/reload.module.ts';
import { ReportSchedules } from '../reports/report-schedules.ts';
import { ReportsModule } from '../reports/reports.module.ts';
import { WebhookReceiver } from '../webhooks/webhook-receiver.ts';
import { WebhooksModule } from '../webhooks/webhooks.module.ts';
import { registerCheckpointMetrics } from './checkpoint-metrics.ts';
import { registerClusterMetrics } from './cluster-metrics.ts';
import { ControllerMetrics } from './controller-metrics.ts';
import { EventLoopMonitor } from './event-loop-monitor.ts';
import { registerJournalMetrics } from './journal-metrics.ts';
import { registerLogMetrics } from './log-metrics.ts';
import { MetricsServer } from './metrics-server.ts';
import { registerModeMetrics } from './mode-metrics.ts';
import { policyMetrics } from './policy-metrics.ts';
import { renderPolicySeries } from './policy-series.ts';
import { registerReloadMetrics } from './reload-metrics.ts';
import { registerReportMetrics } from './report-metrics.ts';
import { registerRequestMetrics } from './request-metrics.ts';
import { registerShardMetrics } from './shard-metrics.ts';
import { registerSourceMetrics } from './source-metrics.ts';
import { registerTlsMetrics } from './tls-metrics.ts';

const providers = [
  factoryProvider(
    ControllerMetrics,
    {
      configuration: configurationToken,
      cluster: clusterToken,
      sync: policySyncToken,
      statuses: StatusRegistry,
      degradations: Degradations,
      failures: AuthenticationFailures,
      gate: RequestGate,
      rates: RequestRates,
      reconciler: Reconciler,
      sources: sourceOperationsToken,
      webhooks: WebhookReceiver,
      journal: OutageJournal,
      logOutput: logOutputToken,
      publisher: CheckpointPublisher,
      reload: ConfigurationReload,
      reportSchedules: ReportSchedules,
      shards: Shards,
      holdings: Holdings,
      leadership: leadershipToken,
      writer: LedgerWriter,
      interventions: StandingInterventions,
      controller: ModeInForce,
      clock: clockToken,
    },
    ({
      configuration,
      cluster,
      sync,
      statuses,
      degradations,
      failures,
      gate,
      rates,
      reconciler,
      sources,
      webhooks,
      journal,
      logOutput,
      publisher,
      reload,
      reportSchedules,
      shards,
      holdings,
      leadership,
      writer,
      interventions,
      controller,
      clock,
    }) => {
      const listActive = () => sync.activePolicies.listActivePolicies();
      const metrics = new ControllerMetrics(configuration.cluster.name, {
        policies: () => listActive().length,
        hpaPolicies: () => listActive().filter(({ policy }) => policy.family === 'hpa').length,
        ledgerQueue: () => writer.waiting,
        degraded: () => degradations.list().map(({ what }) => what),
        cachedPods: () => cluster.kubernetes.health().pods,
        orphanedHpas: () => reconciler.listOrphanedHpas().length,
      });
      registerClusterMetrics(metrics.registry, {
        health: () => cluster.kubernetes.health(),
        sources: () => cluster.metrics.sources(),
      });
      registerRequestMetrics(metrics.registry, { failures, gate, rates });
      registerJournalMetrics(metrics.registry, journal);
      registerLogMetrics(metrics.registry, logOutput);
      registerShardMetrics(metrics.registry, { shards, holdings, leadership });
      registerCheckpointMetrics(metrics.registry, () => publisher.states);
      registerSourceMetrics(metrics.registry, {
        sources: sources.listSources,
        syncFailures: sources.syncFailures,
        webhookRefusals: () => webhooks.refusals,
        now: () => Date.now(),
      });
      registerModeMetrics(metrics.registry, { controller, sync, interventions, clock });
      registerReloadMetrics(metrics.registry, () => reload.counts);
      registerReportMetrics(metrics.registry, () => reportSchedules.counts);
      statuses.subscribe((report) => metrics.record(report));
      sync.onChange(() => {
        const keys = new Set(listActive().map(({ policy }) => namespacedName(policy)));
        for (const gone of statuses.retain(keys)) metrics.forget(gone);
      });
      return metrics;
    },
  ),
  factoryProvider(
    EventLoopMonitor,
    { logger: loggerToken, metrics: ControllerMetrics, activities: LoopActivities },
    ({ logger, metrics, activities }) =>
      new EventLoopMonitor({ logger, activities, observe: metrics.recordLoopDelay }),
  ),
  factoryProvider(
    MetricsServer,
    {
      configuration: configurationToken,
      metrics: ControllerMetrics,
      statuses: StatusRegistry,
      shards: Shards,
      listener: HttpListener,
    },
    ({ configuration, metrics, statuses, shards, listener }) => {
      const { listen, cluster } = configuration;
      registerTlsMetrics(metrics.registry, listener);
      return new MetricsServer({
        address: listen.metricsAddress,
        port: listen.metricsPort,
        registry: metrics.registry,
        policySeries: () =>
          renderPolicySeries({
            metrics: policyMetrics,
            scope: configuration.metrics.policySeries,
            cluster: cluster.name,
            // Of a policy that another replica has taken over, that one tells.
            reports: () => statuses.list().filter(({ active }) => shards.holds(active.policy)),
            scaledReplicas: metrics.scaledReplicas,
            now: () => Date.now(),
          }),
      });
    },
  ),
];

/** What Prometheus reads, on a port of its own. */
@Module({
  imports: [
    AuthModule,
    ClusterModule,
    LedgerModule,
    GitSyncModule,
    ReconcileModule,
    HealthModule,
    WebhooksModule,
    ReloadModule,
    ReportsModule,
    HttpModule,
  ],
  providers,
  exports: providers,
})
export class MetricsModule {}
