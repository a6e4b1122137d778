import type { Logger } from 'pino';
import type { GitAdapter } from '#adapter-git';
import type { ParserPool } from '#adapter-parser';
import type { SqlClusterBinding } from '#adapter-sql';
import type { Configuration } from '#configuration';
import type { RevisionStorePort } from '#git-sync';
import type { LedgerPort, LedgerWriter } from '#ledger';
import type { ClockPort, FleetBrake } from '#reconciliation';
import type { RequestGate } from '../auth/gate/request-gate.ts';
import type { AdministratorToken } from '../auth/identities/administrator-token.ts';
import type { TokenRegistry } from '../auth/identities/token-registry.ts';
import type { FailureRecorder } from '../auth/limits/failure-recorder.ts';
import type { Checkpointer } from '../checkpoints/checkpointer.ts';
import type { Cluster } from '../cluster/open-cluster.ts';
import type { Candidacy } from '../coordination/holdings/holdings.ts';
import type { ProcessHoldings } from '../coordination/holdings/process-holdings.ts';
import type { LeaseRights } from '../coordination/leases/lease-rights.ts';
import type { Shards } from '../coordination/shards/shards.ts';
import type { DeferredLedgerDatabase } from '../database/deferred-ledger-database.ts';
import type { ForgeTasks } from '../forge/forge-tasks.ts';
import type { PolicySync } from '../git-sync/policy-sync.ts';
import type { HttpListener } from '../http/http-listener.ts';
import type { AppendRetry } from '../ledger/append-retry.ts';
import type { MetricSeries } from '../ledger/metric-series.ts';
import type { OutageJournal } from '../ledger/outage-journal.ts';
import type { Retention } from '../ledger/retention.ts';
import type { EventLoopMonitor } from '../metrics/event-loop-monitor.ts';
import type { MetricsServer } from '../metrics/metrics-server.ts';
import type { ReconcileLoop } from '../reconcile/reconcile-loop.ts';
import type { ConfigurationReload } from '../reload/configuration-reload.ts';
import type { ReloadWatch } from '../reload/reload-watch.ts';
import type { DatabaseFollower } from '../replicas/database-follower.ts';
import type { ReportSchedules } from '../reports/report-schedules.ts';
import type { Reports } from '../reports/reports.ts';
import type { DeferredTraces } from '../traces/deferred-traces.ts';
import type { SyncTrigger } from '../webhooks/sync-trigger.ts';
import type { FenceLoss } from './fence-loss.ts';

/** What the start opens. */
export interface StartDependencies {
  readonly configuration: Configuration;
  readonly database: DeferredLedgerDatabase;
  readonly clusterBinding: SqlClusterBinding;
  readonly ledger: LedgerPort;
  /** Under the scope of administration. */
  readonly writer: LedgerWriter;
  readonly tokens: TokenRegistry;
  readonly administratorToken: AdministratorToken | null;
  readonly failures: FailureRecorder;
  readonly metricsServer: MetricsServer;
  readonly reports: Reports;
  readonly reportSchedules: ReportSchedules;
  readonly loopMonitor: EventLoopMonitor;
  readonly http: HttpListener;
  readonly requestGate: RequestGate;
  readonly cluster: Cluster;
  readonly follower: DatabaseFollower;
  readonly fences: ProcessHoldings;
  readonly shards: Shards;
  /** Null: this process takes all scopes, or waits until another ends. */
  readonly candidacy: Candidacy | null;
  /** Null: Leases are not configured. */
  readonly leaseRights: LeaseRights | null;
  /** What this process may not do with Leases, so that it works without; null: nothing, as far as is known. */
  readonly leasesForbidden: string | null;
  /** Whether this process has carried policies out before, and lost what it held. */
  readonly wasFenced: boolean;
  readonly fenceLoss: FenceLoss;
  readonly store: RevisionStorePort;
  readonly git: GitAdapter;
  readonly parser: ParserPool;
  readonly forgeTasks: ForgeTasks;
  readonly sync: PolicySync;
  readonly trigger: SyncTrigger;
  readonly traces: DeferredTraces;
  readonly loop: ReconcileLoop;
  readonly reload: ConfigurationReload;
  readonly reloadWatch: ReloadWatch;
  readonly appendRetry: AppendRetry;
  readonly checkpointer: Checkpointer;
  readonly journal: OutageJournal;
  readonly retention: Retention;
  readonly series: MetricSeries;
  readonly brake: FleetBrake;
  readonly clock: ClockPort;
  readonly logger: Logger;
}
