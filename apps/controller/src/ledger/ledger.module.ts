import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { Module } from '@nestjs/common';
import {
  lockForProcess,
  openLedgerDatabase,
  SqlActionAnswers,
  SqlCheckpoints,
  SqlEntryTail,
  SqlFences,
  SqlLedger,
  SqlPartitions,
  SqlPullRequestStore,
  SqlRetention,
  SqlRevisionStore,
  SqlSeriesStore,
  SqlShardLayout,
  SqlShardRequests,
  SqlTokens,
} from '#adapter-sql';
import type { PullRequestStorePort, RevisionStorePort } from '#git-sync';
import {
  type ActionAnswersPort,
  administrationScope,
  type FencePort,
  type LedgerPort,
  LedgerWriter,
  type TokenStorePort,
} from '#ledger';
import { CheckpointPublisher } from '../checkpoints/checkpoint-publisher.ts';
import { Checkpointer } from '../checkpoints/checkpointer.ts';
import { createSinks } from '../checkpoints/create-sinks.ts';
import { ClusterModule, clusterToken } from '../cluster/cluster.module.ts';
import {
  clockToken,
  configurationToken,
  leasesForbiddenToken,
  loggerToken,
  wasFencedToken,
} from '../configuration/configuration.module.ts';
import { createElectedHoldings } from '../coordination/create-elected-holdings.ts';
import type { ElectedHoldings } from '../coordination/elected-holdings.ts';
import { type Candidacy, Holdings } from '../coordination/holdings.ts';
import { ProcessHoldings } from '../coordination/process-holdings.ts';
import { Shards } from '../coordination/shards.ts';
import { factoryProvider, portToken } from '../provider.ts';
import { EntryTail } from '../replicas/entry-tail.ts';
import { leadershipOf, leadershipToken } from '../replicas/leadership.ts';
import { ShardRequests } from '../replicas/shard-requests.ts';
import { AppendRetry } from './append-retry.ts';
import { databaseUrl, noteNewFile, retentionUrl } from './database-url.ts';
import { DeferredLedgerDatabase } from './deferred-ledger-database.ts';
import { LedgerFeed } from './ledger-feed.ts';
import { MetricSeries } from './metric-series.ts';
import { OutageJournal } from './outage-journal.ts';
import { deletesAnything, Retention } from './retention.ts';
import { RetentionDatabase } from './retention-database.ts';

/** Null: this process carries all policies out, or waits until another ends. */
export const candidacyToken = portToken<Candidacy | null>('Candidacy');
/** Null: there are no Leases. */
export const electedHoldingsToken = portToken<ElectedHoldings | null>('ElectedHoldings');
export const ledgerToken = portToken<LedgerPort>('Ledger');
export const fencesToken = portToken<FencePort>('Fences');
/** Appends what operators do, and the settings, under a scope of its own. */
export const administrationWriterToken = portToken<LedgerWriter>('AdministrationWriter');
export const revisionStoreToken = portToken<RevisionStorePort>('RevisionStore');
export const actionAnswersToken = portToken<ActionAnswersPort>('ActionAnswers');
export const tokenStoreToken = portToken<TokenStorePort>('TokenStore');
export const pullRequestStoreToken = portToken<PullRequestStorePort>('PullRequestStore');

const providers = [
  factoryProvider(
    DeferredLedgerDatabase,
    { configuration: configurationToken, logger: loggerToken },
    ({ configuration, logger }) =>
      new DeferredLedgerDatabase(async () => {
        const url = await databaseUrl(configuration.database);
        noteNewFile(url, logger);
        return openLedgerDatabase({
          url,
          givesSpaceBack: deletesAnything(configuration),
          onSlow: (slow) => logger.debug(slow, 'slow SQL statement'),
        });
      }),
  ),
  factoryProvider(
    ledgerToken,
    { database: DeferredLedgerDatabase },
    ({ database }): LedgerPort => new SqlLedger(database),
  ),
  factoryProvider(
    fencesToken,
    { database: DeferredLedgerDatabase },
    ({ database }): FencePort => new SqlFences(database),
  ),
  factoryProvider(
    ProcessHoldings,
    { port: fencesToken, logger: loggerToken, wasFenced: wasFencedToken },
    (parts) => new ProcessHoldings(parts),
  ),
  factoryProvider(
    electedHoldingsToken,
    {
      configuration: configurationToken,
      cluster: clusterToken,
      fences: fencesToken,
      logger: loggerToken,
      wasFenced: wasFencedToken,
      leasesForbidden: leasesForbiddenToken,
    },
    createElectedHoldings,
  ),
  factoryProvider(
    Holdings,
    { elected: electedHoldingsToken, alone: ProcessHoldings },
    ({ elected, alone }): Holdings => elected ?? alone,
  ),
  factoryProvider(
    leadershipToken,
    { holdings: Holdings, configuration: configurationToken, leasesForbidden: leasesForbiddenToken },
    ({ holdings, ...known }) => leadershipOf(holdings, known),
  ),
  factoryProvider(
    candidacyToken,
    { elected: electedHoldingsToken },
    ({ elected }): Candidacy | null => elected,
  ),
  factoryProvider(
    Shards,
    { holdings: Holdings, database: DeferredLedgerDatabase },
    ({ holdings, database }) => new Shards(holdings, new SqlShardLayout(database)),
  ),
  AppendRetry,
  LedgerFeed,
  factoryProvider(
    EntryTail,
    {
      database: DeferredLedgerDatabase,
      ledger: ledgerToken,
      feed: LedgerFeed,
      clock: clockToken,
      logger: loggerToken,
    },
    ({ database, ledger, feed, clock, logger }) => {
      const places = new SqlEntryTail(database);
      return new EntryTail({
        places: {
          newest: () => places.newest(),
          after: (position, missing) => places.after(position, missing),
        },
        ledger,
        feed,
        now: () => clock.monotonicMilliseconds(),
        logger,
      });
    },
  ),
  factoryProvider(
    ShardRequests,
    {
      database: DeferredLedgerDatabase,
      shards: Shards,
      holdings: Holdings,
      leadership: leadershipToken,
      clock: clockToken,
      logger: loggerToken,
    },
    ({ database, ...parts }) => new ShardRequests({ ...parts, store: new SqlShardRequests(database) }),
  ),
  factoryProvider(
    LedgerWriter,
    {
      tail: EntryTail,
      port: ledgerToken,
      shards: Shards,
      retry: AppendRetry,
      configuration: configurationToken,
      clock: clockToken,
      logger: loggerToken,
    },
    ({ tail, port, shards, retry, configuration, clock, logger }) =>
      new LedgerWriter({
        port,
        fence: shards.fencesFor,
        cluster: configuration.cluster.name,
        beforeRetry: () => retry.wait(),
        onStored: (entries) => tail.publish(entries),
        onLost: ({ stored, found }) => {
          const { stream, seq } = stored;
          logger.warn(
            { stream, stored: String(seq), found: String(found.seq) },
            'the database has lost entries that it had stored',
          );
        },
        clock,
      }),
  ),
  factoryProvider(
    OutageJournal,
    {
      configuration: configurationToken,
      database: DeferredLedgerDatabase,
      ledger: ledgerToken,
      writer: LedgerWriter,
      shards: Shards,
      holdings: Holdings,
      fencePort: fencesToken,
      clock: clockToken,
      logger: loggerToken,
    },
    ({ configuration, database, ...options }) =>
      new OutageJournal({
        ...options,
        ledgerId: () => new SqlCheckpoints(database).ledgerId(),
        path: join(configuration.dataFolder, 'outage-journal'),
        lock: lockForProcess,
        holder: randomUUID(),
      }),
  ),
  factoryProvider(
    administrationWriterToken,
    { writer: LedgerWriter, fences: Holdings },
    ({ writer, fences }) => writer.under(() => fences.of(administrationScope)),
  ),
  factoryProvider(
    CheckpointPublisher,
    { configuration: configurationToken, clock: clockToken, logger: loggerToken },
    ({ configuration, clock, logger }) =>
      new CheckpointPublisher({ sinks: createSinks(configuration, clock), clock, logger }),
  ),
  factoryProvider(
    Checkpointer,
    {
      configuration: configurationToken,
      database: DeferredLedgerDatabase,
      ledger: ledgerToken,
      writer: administrationWriterToken,
      publisher: CheckpointPublisher,
      fences: Holdings,
      clock: clockToken,
      logger: loggerToken,
    },
    ({ database, ...parts }) => new Checkpointer({ ...parts, port: new SqlCheckpoints(database) }),
  ),
  factoryProvider(
    Retention,
    {
      configuration: configurationToken,
      database: DeferredLedgerDatabase,
      writer: administrationWriterToken,
      fences: Holdings,
      clock: clockToken,
      logger: loggerToken,
    },
    ({ database, ...parts }) => {
      const own = new RetentionDatabase({
        controllers: database,
        ownUrl: () => retentionUrl(parts.configuration.database),
      });
      return new Retention({
        ...parts,
        port: new SqlRetention(own),
        partitions: new SqlPartitions(database),
        release: () => own.release(),
      });
    },
  ),
  factoryProvider(
    MetricSeries,
    {
      configuration: configurationToken,
      database: DeferredLedgerDatabase,
      shards: Shards,
      holdings: Holdings,
      clock: clockToken,
      logger: loggerToken,
    },
    ({ database, ...parts }) => new MetricSeries({ ...parts, store: new SqlSeriesStore(database) }),
  ),
  factoryProvider(
    actionAnswersToken,
    { database: DeferredLedgerDatabase },
    ({ database }): ActionAnswersPort => new SqlActionAnswers(database),
  ),
  factoryProvider(
    tokenStoreToken,
    { database: DeferredLedgerDatabase },
    ({ database }): TokenStorePort => new SqlTokens(database),
  ),
  factoryProvider(
    revisionStoreToken,
    { database: DeferredLedgerDatabase, fences: Holdings },
    ({ database, fences }): RevisionStorePort => new SqlRevisionStore(database, fences),
  ),
  factoryProvider(
    pullRequestStoreToken,
    { database: DeferredLedgerDatabase, fences: Holdings },
    ({ database, fences }): PullRequestStorePort => new SqlPullRequestStore(database, fences),
  ),
];

/** The database, and what is stored in it. */
@Module({ imports: [ClusterModule], providers, exports: providers })
export class LedgerModule {}
