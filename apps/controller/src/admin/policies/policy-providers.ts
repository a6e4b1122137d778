import { SqlStoredReports } from '#adapter-sql';
import { Reconciler, SettledWindows, StandingInterventions } from '#reconciliation';
import { nativeAutoscalersToken, scaleToken } from '../../cluster/cluster.module.ts';
import { clockToken, configurationToken, loggerToken } from '../../configuration/configuration.module.ts';
import { InterventionLimit } from '../../configuration/intervention-limit.ts';
import { ModeInForce } from '../../configuration/mode-in-force.ts';
import { leadershipToken } from '../../coordination/shards/leadership.ts';
import { Shards } from '../../coordination/shards/shards.ts';
import { DeferredLedgerDatabase } from '../../database/deferred-ledger-database.ts';
import { activePoliciesToken, sourceOperationsToken } from '../../git-sync/git-sync.module.ts';
import { ledgerToken } from '../../ledger/ledger.module.ts';
import { factoryProvider } from '../../provider.ts';
import { StatusRegistry } from '../../reconcile/status-registry.ts';
import { SourceAccess } from '../sources/source-access.ts';
import { OrphanedHpas } from './orphaned-hpas.ts';
import { PolicyModes } from './policy-modes.ts';
import { PolicyQueries } from './policy-queries.ts';
import { PolicyReports } from './policy-reports.ts';

/** What is known of the policies in force. */
export const policyProviders = [
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
    PolicyModes,
    { controller: ModeInForce, leadership: leadershipToken, shards: Shards },
    (parts) => new PolicyModes(parts),
  ),
  factoryProvider(
    PolicyQueries,
    {
      interventions: StandingInterventions,
      windows: SettledWindows,
      activePolicies: activePoliciesToken,
      reports: PolicyReports,
      orphans: OrphanedHpas,
      sources: sourceOperationsToken,
      access: SourceAccess,
      controller: ModeInForce,
      interventionLimit: InterventionLimit,
      modes: PolicyModes,
      clock: clockToken,
    },
    (ports) => new PolicyQueries(ports),
  ),
];
