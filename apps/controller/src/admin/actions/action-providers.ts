import { SqlScopeHolders } from '#adapter-sql';
import { LedgerWriter } from '#ledger';
import { Reconciler, StandingInterventions } from '#reconciliation';
import { clockToken, loggerToken } from '../../configuration/configuration.module.ts';
import { InterventionLimit } from '../../configuration/intervention-limit.ts';
import { fencesToken } from '../../coordination/coordination.module.ts';
import { Holdings } from '../../coordination/holdings/holdings.ts';
import { leadershipToken } from '../../coordination/shards/leadership.ts';
import { ShardCountChange } from '../../coordination/shards/shard-count-change.ts';
import { ShardRequests } from '../../coordination/shards/shard-requests.ts';
import { Shards } from '../../coordination/shards/shards.ts';
import { DeferredLedgerDatabase } from '../../database/deferred-ledger-database.ts';
import { ForgeObserver } from '../../forge/forge-observer.ts';
import { activePoliciesToken, sourceOperationsToken } from '../../git-sync/git-sync.module.ts';
import { administrationWriterToken, ledgerToken } from '../../ledger/ledger.module.ts';
import { factoryProvider } from '../../provider.ts';
import { ActionGate } from '../access/action-gate.ts';
import { ChangeEffects } from '../effects/change-effects.ts';
import { InterventionEffects } from '../effects/intervention-effects.ts';
import { PullRequestLookup } from '../history/pull-request-lookup.ts';
import { SourceAccess } from '../sources/source-access.ts';
import { AdminActions } from './admin-actions.ts';
import { EarlierActions } from './earlier-actions.ts';
import { FourEyes } from './four-eyes.ts';
import { InterventionActions } from './intervention-actions.ts';
import { LeaveActions } from './leave-actions.ts';
import { LeaveCandidates } from './leave-candidates.ts';
import { LeaveTargets } from './leave-targets.ts';
import { ShardActions } from './shard-actions.ts';
import { VisibleInterventions } from './visible-interventions.ts';

/** What operators do. */
export const actionProviders = [
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
    InterventionActions,
    {
      interventions: StandingInterventions,
      effects: InterventionEffects,
      sources: sourceOperationsToken,
      visible: VisibleInterventions,
      gate: ActionGate,
      ledger: ledgerToken,
      clock: clockToken,
      limit: InterventionLimit,
    },
    (ports) => new InterventionActions(ports),
  ),
  factoryProvider(
    FourEyes,
    {
      sources: sourceOperationsToken,
      access: SourceAccess,
      pullRequests: PullRequestLookup,
      forges: ForgeObserver,
    },
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
      reconciler: Reconciler,
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
