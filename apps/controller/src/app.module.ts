import { type DynamicModule, Module } from '@nestjs/common';
import { GitAdapter } from '#adapter-git';
import { ParserPool } from '#adapter-parser';
import { FleetBrake } from '#reconciliation';
import { AdminGraphqlModule } from './admin-graphql/admin-graphql.module.ts';
import { AdminRestModule } from './admin-rest/admin-rest.module.ts';
import { AuthModule } from './auth/auth.module.ts';
import { RequestGate } from './auth/gate/request-gate.ts';
import {
  administratorTokenToken,
  type GivenTokens,
  GivenTokensModule,
} from './auth/identities/given-tokens.module.ts';
import { TokenRegistry } from './auth/identities/token-registry.ts';
import { FailureRecorder } from './auth/limits/failure-recorder.ts';
import { Checkpointer } from './checkpoints/checkpointer.ts';
import { ClusterModule, clusterToken } from './cluster/cluster.module.ts';
import {
  clockToken,
  ConfigurationModule,
  configurationToken,
  leasesForbiddenToken,
  loggerToken,
  type ProcessOptions,
  wasFencedToken,
} from './configuration/configuration.module.ts';
import { ConsoleModule } from './console/console.module.ts';
import { candidacyToken, leaseRightsToken } from './coordination/coordination.module.ts';
import { ProcessHoldings } from './coordination/holdings/process-holdings.ts';
import { Shards } from './coordination/shards/shards.ts';
import { DeferredLedgerDatabase } from './database/deferred-ledger-database.ts';
import { clusterBindingToken } from './database/ledger-database.module.ts';
import { ExportsModule } from './exports/exports.module.ts';
import { ForgeModule } from './forge/forge.module.ts';
import { ForgeTasks } from './forge/forge-tasks.ts';
import { GitSyncModule, policySyncToken } from './git-sync/git-sync.module.ts';
import { HealthModule } from './health/health.module.ts';
import { HttpModule } from './http/http.module.ts';
import { HttpListener } from './http/http-listener.ts';
import { AppendRetry } from './ledger/append-retry.ts';
import {
  administrationWriterToken,
  LedgerModule,
  ledgerToken,
  revisionStoreToken,
} from './ledger/ledger.module.ts';
import { MetricSeries } from './ledger/metric-series.ts';
import { OutageJournal } from './ledger/outage-journal.ts';
import { Retention } from './ledger/retention.ts';
import { EventLoopMonitor } from './metrics/event-loop-monitor.ts';
import { MetricsModule } from './metrics/metrics.module.ts';
import { MetricsServer } from './metrics/metrics-server.ts';
import { factoryProvider, portToken } from './provider.ts';
import { ReconcileModule } from './reconcile/reconcile.module.ts';
import { ReconcileLoop } from './reconcile/reconcile-loop.ts';
import { RefusalsModule } from './refusals/refusals.module.ts';
import { ConfigurationReload } from './reload/configuration-reload.ts';
import { ReloadModule } from './reload/reload.module.ts';
import { ReloadWatch } from './reload/reload-watch.ts';
import { DatabaseFollower } from './replicas/database-follower.ts';
import { ReplicasModule } from './replicas/replicas.module.ts';
import { ReportSchedules } from './reports/report-schedules.ts';
import { ReportsModule } from './reports/reports.module.ts';
import { Reports } from './reports/reports.ts';
import { FenceLoss } from './start-up/fence-loss.ts';
import type { StartStep } from './start-up/start-step.ts';
import { startSteps } from './start-up/start-steps.ts';
import { StartUp } from './start-up/start-up.ts';
import { DeferredTraces } from './traces/deferred-traces.ts';
import { TracesModule } from './traces/traces.module.ts';
import { SyncTrigger } from './webhooks/sync-trigger.ts';
import { WebhooksModule } from './webhooks/webhooks.module.ts';

export const startStepsToken = portToken<readonly StartStep[]>('StartSteps');

/** What one controller is started with. */
export interface ControllerOptions extends ProcessOptions, GivenTokens {}

/** The controller: its feature modules, and the start that opens what they have constructed. */
@Module({
  imports: [
    LedgerModule,
    ExportsModule,
    ClusterModule,
    ForgeModule,
    GitSyncModule,
    ReconcileModule,
    WebhooksModule,
    AuthModule,
    AdminGraphqlModule,
    AdminRestModule,
    ConsoleModule,
    HttpModule,
    HealthModule,
    MetricsModule,
    RefusalsModule,
    ReloadModule,
    ReplicasModule,
    ReportsModule,
    TracesModule,
  ],
  providers: [
    FenceLoss,
    factoryProvider(
      startStepsToken,
      {
        configuration: configurationToken,
        database: DeferredLedgerDatabase,
        clusterBinding: clusterBindingToken,
        ledger: ledgerToken,
        writer: administrationWriterToken,
        store: revisionStoreToken,
        metricsServer: MetricsServer,
        tokens: TokenRegistry,
        administratorToken: administratorTokenToken,
        failures: FailureRecorder,
        reports: Reports,
        reportSchedules: ReportSchedules,
        loopMonitor: EventLoopMonitor,
        http: HttpListener,
        requestGate: RequestGate,
        cluster: clusterToken,
        follower: DatabaseFollower,
        fences: ProcessHoldings,
        shards: Shards,
        candidacy: candidacyToken,
        leaseRights: leaseRightsToken,
        leasesForbidden: leasesForbiddenToken,
        wasFenced: wasFencedToken,
        fenceLoss: FenceLoss,
        git: GitAdapter,
        parser: ParserPool,
        forgeTasks: ForgeTasks,
        traces: DeferredTraces,
        sync: policySyncToken,
        trigger: SyncTrigger,
        loop: ReconcileLoop,
        reload: ConfigurationReload,
        reloadWatch: ReloadWatch,
        appendRetry: AppendRetry,
        checkpointer: Checkpointer,
        journal: OutageJournal,
        retention: Retention,
        series: MetricSeries,
        brake: FleetBrake,
        clock: clockToken,
        logger: loggerToken,
      },
      startSteps,
    ),
    factoryProvider(StartUp, { steps: startStepsToken, logger: loggerToken }, ({ steps, logger }) => {
      return new StartUp(steps, {
        onClosed: (closed) => logger.info({ closed }, 'what was opened is closed, in this order'),
        onUnclosed: (reasons) =>
          logger.warn({ reasons }, 'not everything could be closed in its time, as where the database hangs'),
      });
    }),
  ],
})
export class AppModule {
  static forRoot(options: ControllerOptions): DynamicModule {
    return {
      module: AppModule,
      imports: [ConfigurationModule.forRoot(options), GivenTokensModule.forRoot(options)],
    };
  }
}
