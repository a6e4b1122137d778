import { randomUUID } from 'node:crypto';
import { Module } from '@nestjs/common';
import { LedgerWriter } from '#ledger';
import { CronWindows } from '#policy';
import { FleetBrake, type LogPort, Reconciler, SettledWindows, StandingInterventions } from '#reconciliation';
import {
  ClusterModule,
  competingAutoscalersToken,
  kubernetesEventsToken,
  metricsToken,
  nativeAutoscalersToken,
  objectsToken,
  ownersToken,
  podsToken,
  recommendersToken,
  replicaChangesToken,
  scaleToken,
} from '../cluster/cluster.module.ts';
import { clockToken, configurationToken, loggerToken } from '../configuration/configuration.module.ts';
import { leadershipToken, leaseMillisecondsOf } from '../coordination/shards/leadership.ts';
import { Shards } from '../coordination/shards/shards.ts';
import { activePoliciesToken, GitSyncModule } from '../git-sync/git-sync.module.ts';
import { administrationWriterToken, LedgerModule, ledgerToken } from '../ledger/ledger.module.ts';
import { MetricSeries } from '../ledger/metric-series.ts';
import { OutageJournal } from '../ledger/outage-journal.ts';
import { toSentenceLog } from '../logging/log-port.ts';
import { factoryProvider, portToken } from '../provider.ts';
import { DeferredTraces } from '../traces/deferred-traces.ts';
import { TracesModule } from '../traces/traces.module.ts';
import { createReconciler } from './create-reconciler.ts';
import { ReconcileLoop } from './reconcile-loop.ts';
import { StatusRegistry } from './status-registry.ts';

/** Long enough for a second holder where the first one could not begin. */
const leasesOfTakeOver = 4;

const reconcileLogToken = portToken<LogPort>('ReconcileLog');

const providers = [
  StatusRegistry,
  factoryProvider(reconcileLogToken, { logger: loggerToken }, ({ logger }) =>
    toSentenceLog(logger, 'reconciled'),
  ),
  factoryProvider(
    SettledWindows,
    { clock: clockToken, log: reconcileLogToken },
    (ports) => new SettledWindows({ ...ports, windows: new CronWindows() }),
  ),
  factoryProvider(
    StandingInterventions,
    { ledger: ledgerToken, writer: administrationWriterToken, clock: clockToken },
    (options) => new StandingInterventions(options),
  ),
  factoryProvider(
    FleetBrake,
    {
      configuration: configurationToken,
      interventions: StandingInterventions,
      activePolicies: activePoliciesToken,
      shards: Shards,
      leadership: leadershipToken,
      clock: clockToken,
      log: reconcileLogToken,
    },
    ({ configuration, leadership: { mode, isLeader, carriedOutMilliseconds }, ...ports }) => {
      const takeOverMilliseconds = leasesOfTakeOver * leaseMillisecondsOf(configuration);
      const replicas = { isLeader, takeOverMilliseconds, carriedOutMilliseconds };
      return new FleetBrake({
        ...ports,
        replicas: mode === 'Replicas' ? replicas : undefined,
        settings: configuration.fleetBrake,
        newId: randomUUID,
      });
    },
  ),
  factoryProvider(
    Reconciler,
    {
      configuration: configurationToken,
      activePolicies: activePoliciesToken,
      pods: podsToken,
      owners: ownersToken,
      objects: objectsToken,
      scale: scaleToken,
      replicaChanges: replicaChangesToken,
      nativeAutoscalers: nativeAutoscalersToken,
      competingAutoscalers: competingAutoscalersToken,
      metrics: metricsToken,
      recommenders: recommendersToken,
      windows: SettledWindows,
      interventions: StandingInterventions,
      brake: FleetBrake,
      shards: Shards,
      kubernetesEvents: kubernetesEventsToken,
      ledger: ledgerToken,
      writer: LedgerWriter,
      journal: OutageJournal,
      clock: clockToken,
      log: reconcileLogToken,
      reports: StatusRegistry,
      series: MetricSeries,
      traces: DeferredTraces,
    },
    ({ configuration, ...ports }) => createReconciler(configuration, ports),
  ),
  factoryProvider(
    ReconcileLoop,
    { reconciler: Reconciler, logger: loggerToken },
    (parts) => new ReconcileLoop(parts),
  ),
];

/** Carries out the policies in force. */
@Module({
  imports: [LedgerModule, ClusterModule, GitSyncModule, TracesModule],
  providers,
  exports: providers,
})
export class ReconcileModule {}
