import { SettledWindows } from '#reconciliation';
import { CheckpointPublisher } from '../../checkpoints/checkpoint-publisher.ts';
import { Checkpointer } from '../../checkpoints/checkpointer.ts';
import { clockToken } from '../../configuration/configuration.module.ts';
import { activePoliciesToken, sourceOperationsToken } from '../../git-sync/git-sync.module.ts';
import { ledgerToken, pullRequestStoreToken } from '../../ledger/ledger.module.ts';
import { LedgerFeed } from '../../ledger/ledger-feed.ts';
import { MetricSeries } from '../../ledger/metric-series.ts';
import { factoryProvider } from '../../provider.ts';
import { PolicyScopes } from '../access/policy-scopes.ts';
import { SourceAccess } from '../sources/source-access.ts';
import { AuditTimeline } from './audit-timeline.ts';
import { BatchedLedger } from './batched-ledger.ts';
import { BlameQueries } from './blame.ts';
import { CheckpointStatus } from './checkpoint-status.ts';
import { DecisionInterventions } from './decision-interventions.ts';
import { InterventionEnds } from './intervention-ends.ts';
import { LedgerQueries } from './ledger-queries.ts';
import { LiveEvents } from './live-events.ts';
import { PolicyCharts } from './policy-charts.ts';
import { PolicyHistory } from './policy-history.ts';
import { PolicyPeriods } from './policy-periods.ts';
import { PolicyValues } from './policy-values.ts';
import { PullRequestLookup } from './pull-request-lookup.ts';

/** What answers questions about the past: what stood behind a decision, what a policy was, and what acted on it. */
export const historyProviders = [
  factoryProvider(
    PullRequestLookup,
    { store: pullRequestStoreToken },
    ({ store }) => new PullRequestLookup(store),
  ),
  factoryProvider(LiveEvents, { feed: LedgerFeed, access: SourceAccess }, (ports) => new LiveEvents(ports)),
  factoryProvider(BatchedLedger, { ledger: ledgerToken }, ({ ledger }) => new BatchedLedger(ledger)),
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
  factoryProvider(LedgerQueries, { timeline: AuditTimeline }, ({ timeline }) => new LedgerQueries(timeline)),
  factoryProvider(
    DecisionInterventions,
    { ledger: BatchedLedger, clock: clockToken },
    (ports) => new DecisionInterventions(ports),
  ),
  factoryProvider(
    BlameQueries,
    {
      ledger: BatchedLedger,
      timeline: AuditTimeline,
      sources: sourceOperationsToken,
      access: SourceAccess,
      pullRequests: PullRequestLookup,
      interventions: DecisionInterventions,
    },
    (ports) => new BlameQueries(ports),
  ),
  factoryProvider(
    PolicyHistory,
    { ledger: BatchedLedger, sources: sourceOperationsToken, clock: clockToken },
    (ports) => new PolicyHistory(ports),
  ),
  factoryProvider(
    PolicyCharts,
    {
      series: MetricSeries,
      sources: sourceOperationsToken,
      activePolicies: activePoliciesToken,
      windows: SettledWindows,
      clock: clockToken,
    },
    (ports) => new PolicyCharts(ports),
  ),
  factoryProvider(
    PolicyPeriods,
    { ledger: BatchedLedger, access: SourceAccess, clock: clockToken },
    (ports) => new PolicyPeriods(ports),
  ),
  factoryProvider(
    InterventionEnds,
    { ledger: BatchedLedger, clock: clockToken },
    (ports) => new InterventionEnds(ports),
  ),
  factoryProvider(PolicyValues, { sources: sourceOperationsToken }, (ports) => new PolicyValues(ports)),
];
