import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { Module } from '@nestjs/common';
import {
  lockForProcess,
  SqlActionAnswers,
  SqlCheckpoints,
  SqlEntryTail,
  SqlLedger,
  SqlPartitions,
  SqlPullRequestStore,
  SqlRetention,
  SqlRevisionStore,
  SqlSeriesStore,
  SqlShardRequests,
  SqlTokens,
} from '#adapter-sql';
import type { PullRequestStorePort, RevisionStorePort } from '#git-sync';
import {
  type ActionAnswersPort,
  administrationScope,
  type LedgerPort,
  LedgerWriter,
  sourceScope,
  type TokenStorePort,
} from '#ledger';
import { CheckpointPublisher } from '../checkpoints/checkpoint-publisher.ts';
import { Checkpointer } from '../checkpoints/checkpointer.ts';
import { createSinks } from '../checkpoints/create-sinks.ts';
import { clockToken, configurationToken, loggerToken } from '../configuration/configuration.module.ts';
import { CoordinationModule, fencesToken } from '../coordination/coordination.module.ts';
import { Holdings } from '../coordination/holdings/holdings.ts';
import { leadershipToken } from '../coordination/shards/leadership.ts';
import { ShardRequests } from '../coordination/shards/shard-requests.ts';
import { Shards } from '../coordination/shards/shards.ts';
import { retentionAddress } from '../database/database-address.ts';
import { DeferredLedgerDatabase } from '../database/deferred-ledger-database.ts';
import { DeletionTime } from '../database/deletion-time.ts';
import { LedgerDatabaseModule } from '../database/ledger-database.module.ts';
import { factoryProvider, portToken } from '../provider.ts';
import { AppendRetry } from './append-retry.ts';
import { EntryTail } from './entry-tail.ts';
import { LedgerFeed } from './ledger-feed.ts';
import { LostEntriesGuard } from './lost-entries.ts';
import { MetricSeries } from './metric-series.ts';
import { OutageJournal } from './outage-journal.ts';
import { Retention } from './retention.ts';
import { RetentionDatabase } from './retention-database.ts';

export const ledgerToken = portToken<LedgerPort>('Ledger');
/** Appends what operators do, and the settings, under a scope of its own, and under those of the sources that it stores. */
export const administrationWriterToken = portToken<LedgerWriter>('AdministrationWriter');
export const revisionStoreToken = portToken<RevisionStorePort>('RevisionStore');
export const actionAnswersToken = portToken<ActionAnswersPort>('ActionAnswers');
export const tokenStoreToken = portToken<TokenStorePort>('TokenStore');
export const pullRequestStoreToken = portToken<PullRequestStorePort>('PullRequestStore');

const providers = [
  factoryProvider(
    ledgerToken,
    { database: DeferredLedgerDatabase },
    ({ database }): LedgerPort => new SqlLedger(database),
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
    LostEntriesGuard,
    {
      database: DeferredLedgerDatabase,
      holdings: Holdings,
      shards: Shards,
      clock: clockToken,
      logger: loggerToken,
    },
    ({ database, ...parts }) => new LostEntriesGuard({ ...parts, epochs: new SqlCheckpoints(database) }),
  ),
  factoryProvider(
    LedgerWriter,
    {
      tail: EntryTail,
      port: ledgerToken,
      shards: Shards,
      retry: AppendRetry,
      configuration: configurationToken,
      lost: LostEntriesGuard,
      clock: clockToken,
    },
    ({ tail, port, shards, retry, configuration, lost, clock }) =>
      new LedgerWriter({
        port,
        fence: shards.fencesFor,
        cluster: configuration.cluster.name,
        beforeRetry: () => retry.wait(),
        onStored: (entries) => tail.publish(entries),
        onLost: lost.note,
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
    ({ writer, fences }) =>
      writer.under(({ sources = [] }) => [
        fences.of(administrationScope),
        ...sources.map(({ source }) => fences.of(sourceScope(source))),
      ]),
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
      time: DeletionTime,
      clock: clockToken,
      logger: loggerToken,
    },
    ({ database, ...parts }) => {
      const own = new RetentionDatabase({
        controllers: database,
        ownAddress: () => retentionAddress(parts.configuration.database),
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
      time: DeletionTime,
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

/** The ledger, and what else is stored in its database. Whoever takes it has what writes to it go by, too. */
@Module({
  imports: [LedgerDatabaseModule, CoordinationModule],
  providers,
  exports: [...providers, LedgerDatabaseModule, CoordinationModule],
})
export class LedgerModule {}
