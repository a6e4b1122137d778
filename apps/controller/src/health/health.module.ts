import { Module } from '@nestjs/common';
import { FleetBrake, Reconciler, SettledWindows } from '#reconciliation';
import { AuthModule } from '../auth/auth.module.ts';
import { RequestGate } from '../auth/gate/request-gate.ts';
import { areSessionsShared } from '../auth/identities/session-secret.ts';
import { CheckpointPublisher } from '../checkpoints/checkpoint-publisher.ts';
import { Checkpointer } from '../checkpoints/checkpointer.ts';
import { ClusterModule, clusterToken } from '../cluster/cluster.module.ts';
import { ClusterOutage } from '../cluster/cluster-outage.ts';
import type { Cluster } from '../cluster/open-cluster.ts';
import {
  clockToken,
  configurationToken,
  leasesForbiddenToken,
} from '../configuration/configuration.module.ts';
import { ModeInForce } from '../configuration/mode-in-force.ts';
import { Holdings } from '../coordination/holdings/holdings.ts';
import { SharedSettings } from '../coordination/leases/shared-settings.ts';
import { leadershipToken } from '../coordination/shards/leadership.ts';
import { DeferredLedgerDatabase } from '../database/deferred-ledger-database.ts';
import { ForgeModule } from '../forge/forge.module.ts';
import { ForgeObserver } from '../forge/forge-observer.ts';
import { GitSyncModule, policySyncToken } from '../git-sync/git-sync.module.ts';
import { HttpModule } from '../http/http.module.ts';
import { HttpListener } from '../http/http-listener.ts';
import { LedgerModule } from '../ledger/ledger.module.ts';
import { OutageJournal } from '../ledger/outage-journal.ts';
import { Retention } from '../ledger/retention.ts';
import { factoryProvider } from '../provider.ts';
import { ReconcileModule } from '../reconcile/reconcile.module.ts';
import { ReconcileLoop } from '../reconcile/reconcile-loop.ts';
import { ConfigurationReload } from '../reload/configuration-reload.ts';
import { ReloadModule } from '../reload/reload.module.ts';
import { ReportSchedules } from '../reports/report-schedules.ts';
import { ReportsModule } from '../reports/reports.module.ts';
import { Degradations } from './degradations.ts';
import { HealthController } from './health.controller.ts';
import { outageNote } from './outage-note.ts';
import { Readiness } from './readiness.ts';

const providers = [
  factoryProvider(
    Degradations,
    {
      database: DeferredLedgerDatabase,
      fences: Holdings,
      journal: OutageJournal,
      checkpointer: Checkpointer,
      publisher: CheckpointPublisher,
      cluster: clusterToken,
      clusterOutage: ClusterOutage,
      reload: ConfigurationReload,
      sharedSettings: SharedSettings,
      reportSchedules: ReportSchedules,
      brake: FleetBrake,
      forges: ForgeObserver,
      windows: SettledWindows,
      reconciler: Reconciler,
      retention: Retention,
      listener: HttpListener,
      clock: clockToken,
      configuration: configurationToken,
      leasesForbidden: leasesForbiddenToken,
    },
    ({ configuration, ...options }) =>
      new Degradations({ ...options, areSessionsShared: areSessionsShared(configuration) }),
  ),
  factoryProvider(
    Readiness,
    {
      database: DeferredLedgerDatabase,
      journal: OutageJournal,
      gate: RequestGate,
      fences: Holdings,
      leadership: leadershipToken,
      controller: ModeInForce,
      degradations: Degradations,
      cluster: clusterToken,
      sync: policySyncToken,
      loop: ReconcileLoop,
    },
    ({ database, journal, gate, fences, leadership, controller, degradations, cluster, sync, loop }) =>
      new Readiness({
        fences,
        leadership,
        controller,
        degradations,
        checks: [
          {
            name: 'database',
            appliesTo: 'every role',
            missing: () => database.missing ?? undefined,
            note: () => outageNote(database.outage, journal),
          },
          {
            name: 'api',
            appliesTo: 'every role',
            missing: () => (gate.isOpen ? undefined : 'nothing but probes is answered yet'),
          },
          { name: 'cluster', appliesTo: 'every role', missing: () => unsyncedCaches(cluster) },
          { name: 'policies', appliesTo: 'active', missing: () => sync.missing() },
          {
            name: 'reconcile',
            appliesTo: 'active',
            missing: () => (loop.hasSwept ? undefined : 'the first sweep has not ended'),
          },
        ],
      }),
  ),
];

/** Liveness and readiness. */
@Module({
  imports: [
    AuthModule,
    LedgerModule,
    ClusterModule,
    ForgeModule,
    GitSyncModule,
    HttpModule,
    ReconcileModule,
    ReloadModule,
    ReportsModule,
  ],
  controllers: [HealthController],
  providers,
  exports: providers,
})
export class HealthModule {}

function unsyncedCaches({ kubernetes }: Cluster): string | undefined {
  const { unlisted } = kubernetes.health();
  if (unlisted.length === 0) return undefined;
  return `not listed yet: ${unlisted.map(({ resource }) => resource).join(', ')}`;
}
