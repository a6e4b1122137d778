import type { Logger } from 'pino';
import type { GitAdapter } from '#adapter-git';
import type { ParserPool } from '#adapter-parser';
import type { Configuration } from '#configuration';
import type { RevisionStorePort } from '#git-sync';
import {
  administrationScope,
  formerScope,
  type LedgerPort,
  type LedgerWriter,
  shardScope,
  sourceScope,
} from '#ledger';
import type { ClockPort } from '#reconciliation';
import type { FailureRecorder } from '../auth/failure-recorder.ts';
import type { TokenRegistry } from '../auth/token-registry.ts';
import { type Checkpointer, checkpointsCloseMilliseconds } from '../checkpoints/checkpointer.ts';
import type { Cluster } from '../cluster/open-cluster.ts';
import { recordSettings } from '../configuration/record-settings.ts';
import type { ProcessHoldings } from '../coordination/process-holdings.ts';
import type { Shards } from '../coordination/shards.ts';
import type { ForgeTasks } from '../forge/forge-tasks.ts';
import type { PolicySync } from '../git-sync/policy-sync.ts';
import type { HttpListener } from '../http/http-listener.ts';
import type { AppendRetry } from '../ledger/append-retry.ts';
import type { DeferredLedgerDatabase } from '../ledger/deferred-ledger-database.ts';
import { type MetricSeries, seriesCloseMilliseconds } from '../ledger/metric-series.ts';
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
import type { StartStep } from './start-step.ts';

/** What the start opens. */
export interface StartDependencies {
  readonly configuration: Configuration;
  readonly database: DeferredLedgerDatabase;
  readonly ledger: LedgerPort;
  /** Under the scope of administration. */
  readonly writer: LedgerWriter;
  readonly tokens: TokenRegistry;
  readonly failures: FailureRecorder;
  readonly metricsServer: MetricsServer;
  readonly reports: Reports;
  readonly reportSchedules: ReportSchedules;
  readonly loopMonitor: EventLoopMonitor;
  readonly http: HttpListener;
  readonly cluster: Cluster;
  readonly follower: DatabaseFollower;
  readonly fences: ProcessHoldings;
  readonly shards: Shards;
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
  readonly clock: ClockPort;
  readonly logger: Logger;
}

/** How long the first list of the cluster may take before the start fails. */
const firstListMilliseconds = 60_000;

/** What passes under way and the runs that are sealed after them have to end in; a pass ends within 10 s. */
const passesMilliseconds = 14_000;

/** When appends whose answer is lost are sent no more. */
const appendsMilliseconds = 12_000;

/**
 * The order of a start. Everything that may fail comes before the epoch, so that a process that cannot work takes it
 * from none that can; whatever another process may still change is read after it.
 */
export function startSteps(dependencies: StartDependencies): readonly StartStep[] {
  return [...openings(dependencies), epoch(dependencies), ...activation(dependencies)];
}

function openings({
  database,
  tokens,
  reports,
  metricsServer,
  loopMonitor,
  http,
  cluster,
  git,
  traces,
  journal,
  follower,
  logger,
}: StartDependencies): readonly StartStep[] {
  return [
    { name: 'database', open: () => database.open(), close: () => database.close() },
    // Before the API listens: a token that is known must not be refused.
    { name: 'API tokens', open: () => tokens.start(), close: () => tokens.stop() },
    { name: 'reports', open: () => reports.start(), close: () => reports.stop() },
    { name: 'journal', open: () => journal.open(), close: () => journal.close() },
    { name: 'traces', open: () => traces.open(), close: () => traces.close() },
    { name: 'git', open: () => git.prepare() },
    {
      name: 'metrics',
      open: async () => {
        loopMonitor.start();
        await metricsServer.listen();
      },
      close: async () => {
        loopMonitor.stop();
        await metricsServer.close();
      },
    },
    {
      name: 'http',
      open: async () => {
        await http.listen();
        logger.info({ url: http.url, metricsUrl: metricsServer.url }, 'serving the admin API');
      },
      close: () => http.close(),
    },
    {
      name: 'cluster',
      open: async (signal) => {
        cluster.kubernetes.start();
        await cluster.kubernetes.whenSynced(firstListMilliseconds, signal);
      },
      close: () => cluster.stop(),
    },
    // What another process has in force is known while this one waits.
    { name: 'following', open: () => follower.start(), close: () => follower.stop() },
  ];
}

function epoch({ configuration, fences, shards, store, fenceLoss }: StartDependencies): StartStep {
  return {
    name: 'epoch',
    open: async (signal) => {
      const scopes = [...shards.all.map(shardScope), ...(await leaderScopes(configuration, store))];
      await fences.acquire(scopes, fenceLoss.report, signal);
    },
    close: () => fences.giveUp(),
  };
}

/** What one process does for all: a source that the configuration names no more may still have policies in force. */
async function leaderScopes(
  { sources }: Configuration,
  store: RevisionStorePort,
): Promise<readonly string[]> {
  const known = await store.listSources();
  const names = new Set([...sources.map(({ name }) => name), ...known.map(({ source }) => source)]);
  return [administrationScope, formerScope, ...[...names].map(sourceScope)];
}

function recording({ checkpointer, failures, retention, series }: StartDependencies): readonly StartStep[] {
  return [
    // Closed last, when everything else is recorded.
    {
      name: 'checkpoints',
      open: () => checkpointer.start(),
      close: () => checkpointer.stop(),
      closeMilliseconds: checkpointsCloseMilliseconds,
    },
    { name: 'failed authentications', open: () => undefined, close: () => failures.flush() },
    { name: 'retention', open: () => retention.start(), close: () => retention.stop() },
    {
      name: 'metric series',
      open: () => series.start(),
      close: () => series.stop(),
      closeMilliseconds: seriesCloseMilliseconds,
    },
  ];
}

function activation(dependencies: StartDependencies): readonly StartStep[] {
  const { ledger, writer, clock, git, sync, parser, forgeTasks, trigger, reload, reloadWatch } = dependencies;
  const { loop, shards, appendRetry, journal, reportSchedules, logger } = dependencies;
  return [
    // What was decided in an outage before comes before all that is read or decided now.
    { name: 'journal of the last process', open: () => journal.takeUp() },
    ...recording(dependencies),
    { name: 'forges', open: () => undefined, close: () => forgeTasks.stop() },
    { name: 'policies', open: () => sync.restore() },
    {
      name: 'policy state',
      open: (signal) => {
        // Else an append whose answer was lost would keep the process until the database is back.
        signal.addEventListener('abort', () => appendRetry.end(), { once: true });
        return loop.take(...shards.all);
      },
      close: () => {
        appendRetry.end();
        return loop.stop();
      },
    },
    // It may have changed while this process waited for the epoch.
    { name: 'configuration', open: reload.reload },
    { name: 'settings', open: () => recordSettings(reload.current, { ledger, writer, clock }) },
    {
      name: 'sources',
      open: () => sync.beginLooking(),
      close: async () => {
        // A sync that fetches or parses fails at once, and is done again after the next start.
        git.close();
        await Promise.all([parser.close(), trigger.stop(), sync.stop()]);
      },
    },
    {
      name: 'passes',
      open: () => {
        loop.start();
        logger.info({ mode: reload.current.mode }, 'carrying out policies');
      },
      close: async () => {
        // A ledger that does not answer must not keep what is open from being closed.
        const givingUp = setTimeout(() => appendRetry.end(), appendsMilliseconds);
        await loop.stop().finally(() => clearTimeout(givingUp));
      },
      closeMilliseconds: passesMilliseconds,
    },
    {
      name: 'scheduled reports',
      open: () => {
        reportSchedules.reconfigure(reload.current.reports.schedules);
        reportSchedules.start();
      },
      close: () => reportSchedules.stop(),
    },
    {
      name: 'changes of the configuration',
      open: () => reloadWatch.start(),
      close: () => reloadWatch.stop(),
    },
  ];
}
