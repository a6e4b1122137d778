import { Module } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { SqlScopeHolders, SqlStoredReports } from '#adapter-sql';
import { LedgerWriter } from '#ledger';
import { Reconciler, SettledWindows, StandingInterventions } from '#reconciliation';
import { CheckpointPublisher } from '../checkpoints/checkpoint-publisher.ts';
import { Checkpointer } from '../checkpoints/checkpointer.ts';
import { ClusterModule, nativeAutoscalersToken, scaleToken } from '../cluster/cluster.module.ts';
import { ClusterOutage } from '../cluster/cluster-outage.ts';
import { clockToken, configurationToken, loggerToken } from '../configuration/configuration.module.ts';
import { ModeInForce } from '../configuration/mode-in-force.ts';
import { fencesToken } from '../coordination/coordination.module.ts';
import { Holdings } from '../coordination/holdings.ts';
import { leadershipToken } from '../coordination/leadership.ts';
import { ShardCountChange } from '../coordination/shard-count-change.ts';
import { ShardRequests } from '../coordination/shard-requests.ts';
import { Shards } from '../coordination/shards.ts';
import { DeferredLedgerDatabase } from '../database/deferred-ledger-database.ts';
import { activePoliciesToken, GitSyncModule, sourceOperationsToken } from '../git-sync/git-sync.module.ts';
import {
  administrationWriterToken,
  LedgerModule,
  ledgerToken,
  pullRequestStoreToken,
} from '../ledger/ledger.module.ts';
import { LedgerFeed } from '../ledger/ledger-feed.ts';
import { factoryProvider } from '../provider.ts';
import { ReconcileModule } from '../reconcile/reconcile.module.ts';
import { StatusRegistry } from '../reconcile/status-registry.ts';
import { ActionGate } from './action-gate.ts';
import { AdminActions } from './admin-actions.ts';
import { AdminQueries } from './admin-queries.ts';
import { AuditTimeline } from './audit-timeline.ts';
import { BatchedLedger } from './batched-ledger.ts';
import { ChangeEffects } from './change-effects.ts';
import { CheckpointStatus } from './checkpoint-status.ts';
import { EarlierActions } from './earlier-actions.ts';
import { FourEyes } from './four-eyes.ts';
import { historyProviders } from './history-providers.ts';
import { InterventionActions } from './intervention-actions.ts';
import { InterventionEffects } from './intervention-effects.ts';
import { LeaveActions } from './leave-actions.ts';
import { LeaveCandidates } from './leave-candidates.ts';
import { LeaveTargets } from './leave-targets.ts';
import { LiveEvents } from './live-events.ts';
import { OrphanedHpas } from './orphaned-hpas.ts';
import { PolicyReports } from './policy-reports.ts';
import { PolicyScopes } from './policy-scopes.ts';
import { PullRequestLookup } from './pull-request-lookup.ts';
import { RefusalRecorder } from './refusal-recorder.ts';
import { RolesGuard } from './roles.guard.ts';
import { ShardActions } from './shard-actions.ts';
import { SourceAccess } from './source-access.ts';
import { VisibleInterventions } from './visible-interventions.ts';

const providers = [
  ...historyProviders,
  factoryProvider(
    PullRequestLookup,
    { store: pullRequestStoreToken },
    ({ store }) => new PullRequestLookup(store),
  ),
  factoryProvider(
    SourceAccess,
    { sources: sourceOperationsToken, activePolicies: activePoliciesToken },
    (ports) => new SourceAccess(ports),
  ),
  factoryProvider(LiveEvents, { feed: LedgerFeed, access: SourceAccess }, (ports) => new LiveEvents(ports)),
  factoryProvider(BatchedLedger, { ledger: ledgerToken }, ({ ledger }) => new BatchedLedger(ledger)),
  factoryProvider(
    PolicyScopes,
    { sources: sourceOperationsToken, activePolicies: activePoliciesToken },
    (ports) => new PolicyScopes(ports),
  ),
  factoryProvider(
    AuditTimeline,
    { ledger: BatchedLedger, scopes: PolicyScopes },
    ({ ledger, scopes }) => new AuditTimeline(ledger, scopes),
  ),
  factoryProvider(
    CheckpointStatus,
    { ledger: ledgerToken, checkpointer: Checkpointer, publisher: CheckpointPublisher },
    (ports) => new CheckpointStatus(ports),
  ),
  factoryProvider(
    PolicyReports,
    {
      statuses: StatusRegistry,
      shards: Shards,
      scales: scaleToken,
      database: DeferredLedgerDatabase,
      clock: clockToken,
      logger: loggerToken,
    },
    ({ database, ...parts }) => new PolicyReports({ ...parts, store: new SqlStoredReports(database) }),
  ),
  factoryProvider(
    OrphanedHpas,
    {
      reconciler: Reconciler,
      nativeAutoscalers: nativeAutoscalersToken,
      activePolicies: activePoliciesToken,
      shards: Shards,
      reports: PolicyReports,
      ledger: ledgerToken,
      configuration: configurationToken,
      clock: clockToken,
      logger: loggerToken,
    },
    ({ configuration, ...parts }) => new OrphanedHpas({ ...parts, namespaces: configuration.namespaces }),
  ),
  factoryProvider(
    AdminQueries,
    {
      timeline: AuditTimeline,
      interventions: StandingInterventions,
      windows: SettledWindows,
      activePolicies: activePoliciesToken,
      reports: PolicyReports,
      orphans: OrphanedHpas,
      sources: sourceOperationsToken,
      access: SourceAccess,
      controller: ModeInForce,
      clock: clockToken,
    },
    (ports) => new AdminQueries(ports),
  ),
  factoryProvider(
    RefusalRecorder,
    { writer: administrationWriterToken, clock: clockToken },
    (options) => new RefusalRecorder(options),
  ),
  factoryProvider(
    ActionGate,
    { fences: Holdings, refusals: RefusalRecorder, outage: ClusterOutage },
    (ports) => new ActionGate(ports),
  ),
  factoryProvider(
    EarlierActions,
    { ledger: ledgerToken, access: SourceAccess },
    (ports) => new EarlierActions(ports),
  ),
  factoryProvider(
    VisibleInterventions,
    { interventions: StandingInterventions, access: SourceAccess, earlier: EarlierActions },
    (ports) => new VisibleInterventions(ports),
  ),
  factoryProvider(
    InterventionEffects,
    {
      interventions: StandingInterventions,
      activePolicies: activePoliciesToken,
      reports: PolicyReports,
      windows: SettledWindows,
      clock: clockToken,
    },
    (ports) => new InterventionEffects(ports),
  ),
  factoryProvider(
    ChangeEffects,
    {
      interventions: StandingInterventions,
      activePolicies: activePoliciesToken,
      reports: PolicyReports,
      windows: SettledWindows,
      clock: clockToken,
      controller: ModeInForce,
    },
    (ports) => new ChangeEffects(ports),
  ),
  factoryProvider(
    InterventionActions,
    {
      interventions: StandingInterventions,
      effects: InterventionEffects,
      sources: sourceOperationsToken,
      visible: VisibleInterventions,
      gate: ActionGate,
      ledger: ledgerToken,
      clock: clockToken,
      configuration: configurationToken,
    },
    ({ configuration, ...ports }) =>
      new InterventionActions({ ...ports, maximumHours: configuration.interventions.maximumHours }),
  ),
  factoryProvider(
    FourEyes,
    { sources: sourceOperationsToken, access: SourceAccess, pullRequests: PullRequestLookup },
    (ports) => new FourEyes(ports),
  ),
  factoryProvider(
    AdminActions,
    {
      sources: sourceOperationsToken,
      access: SourceAccess,
      fourEyes: FourEyes,
      earlier: EarlierActions,
      changes: ChangeEffects,
      writer: administrationWriterToken,
      gate: ActionGate,
      clock: clockToken,
    },
    (ports) => new AdminActions(ports),
  ),
  factoryProvider(
    LeaveCandidates,
    { sources: sourceOperationsToken, activePolicies: activePoliciesToken },
    (ports) => new LeaveCandidates(ports),
  ),
  factoryProvider(
    LeaveTargets,
    { candidates: LeaveCandidates, reconciler: Reconciler, shards: Shards, requests: ShardRequests },
    (options) => new LeaveTargets(options),
  ),
  factoryProvider(
    LeaveActions,
    {
      sources: sourceOperationsToken,
      candidates: LeaveCandidates,
      targets: LeaveTargets,
      interventions: StandingInterventions,
      gate: ActionGate,
      writer: administrationWriterToken,
      clock: clockToken,
    },
    (ports) => new LeaveActions(ports),
  ),
  factoryProvider(
    ShardCountChange,
    {
      holdings: Holdings,
      fences: fencesToken,
      shards: Shards,
      writer: LedgerWriter,
      database: DeferredLedgerDatabase,
      clock: clockToken,
      logger: loggerToken,
    },
    ({ database, ...ports }) => new ShardCountChange({ ...ports, holders: new SqlScopeHolders(database) }),
  ),
  factoryProvider(
    ShardActions,
    {
      shards: Shards,
      change: ShardCountChange,
      leadership: leadershipToken,
      gate: ActionGate,
      clock: clockToken,
    },
    (ports) => new ShardActions(ports),
  ),
];

/** What the admin APIs ask and do, and what a role allows; it knows neither GraphQL nor REST. */
@Module({
  imports: [LedgerModule, ClusterModule, GitSyncModule, ReconcileModule],
  providers: [...providers, { provide: APP_GUARD, useClass: RolesGuard }],
  exports: providers,
})
export class AdminModule {}
