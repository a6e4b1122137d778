import { SettledWindows } from '#reconciliation';
import { clockToken } from '../configuration/configuration.module.ts';
import { activePoliciesToken, sourceOperationsToken } from '../git-sync/git-sync.module.ts';
import { MetricSeries } from '../ledger/metric-series.ts';
import { factoryProvider } from '../provider.ts';
import { AuditTimeline } from './audit-timeline.ts';
import { BatchedLedger } from './batched-ledger.ts';
import { BlameQueries } from './blame.ts';
import { DecisionInterventions } from './decision-interventions.ts';
import { InterventionEnds } from './intervention-ends.ts';
import { PolicyCharts } from './policy-charts.ts';
import { PolicyHistory } from './policy-history.ts';
import { PolicyPeriods } from './policy-periods.ts';
import { PolicyValues } from './policy-values.ts';
import { PullRequestLookup } from './pull-request-lookup.ts';
import { SourceAccess } from './source-access.ts';

/** What answers questions about the past: what stood behind a decision, what a policy was, and what acted on it. */
export const historyProviders = [
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
