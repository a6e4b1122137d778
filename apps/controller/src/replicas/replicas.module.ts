import { Module } from '@nestjs/common';
import { SqlChanges, SqlLossStore } from '#adapter-sql';
import { LedgerWriter } from '#ledger';
import { FleetBrake, StandingInterventions } from '#reconciliation';
import { KnownQueries } from '../admin-graphql/documents/known-queries.ts';
import { AuthModule } from '../auth/auth.module.ts';
import { TokenRegistry } from '../auth/identities/token-registry.ts';
import { clockToken, configurationToken, loggerToken } from '../configuration/configuration.module.ts';
import { Holdings } from '../coordination/holdings/holdings.ts';
import { leadershipToken, leaseMillisecondsOf } from '../coordination/shards/leadership.ts';
import { ShardRequests } from '../coordination/shards/shard-requests.ts';
import { DeferredLedgerDatabase } from '../database/deferred-ledger-database.ts';
import { GitSyncModule, policySyncToken } from '../git-sync/git-sync.module.ts';
import { SourceLooks } from '../git-sync/source-looks.ts';
import { EntryTail } from '../ledger/entry-tail.ts';
import { LedgerModule } from '../ledger/ledger.module.ts';
import { factoryProvider, portToken } from '../provider.ts';
import { ReconcileModule } from '../reconcile/reconcile.module.ts';
import { DatabaseFollower, type FollowSchedule } from './database-follower.ts';
import { LossExchange } from './loss-exchange.ts';
import { RequestForwarding } from './request-forwarding.ts';

/** When changes are looked for without a notice; tests replace it. */
export const followScheduleToken = portToken<FollowSchedule>('FollowSchedule');

const providers = [
  factoryProvider(
    followScheduleToken,
    { clock: clockToken },
    ({ clock }) =>
      (milliseconds, callback) =>
        clock.schedule(milliseconds, callback),
  ),
  factoryProvider(
    LossExchange,
    {
      configuration: configurationToken,
      database: DeferredLedgerDatabase,
      brake: FleetBrake,
      holdings: Holdings,
      leadership: leadershipToken,
      clock: clockToken,
      logger: loggerToken,
    },
    ({ configuration, database, ...parts }) =>
      new LossExchange({
        ...parts,
        store: new SqlLossStore(database),
        leaseMilliseconds: leaseMillisecondsOf(configuration),
      }),
  ),
  factoryProvider(
    DatabaseFollower,
    {
      database: DeferredLedgerDatabase,
      sync: policySyncToken,
      looks: SourceLooks,
      interventions: StandingInterventions,
      tokens: TokenRegistry,
      tail: EntryTail,
      losses: LossExchange,
      requests: ShardRequests,
      writer: LedgerWriter,
      leadership: leadershipToken,
      schedule: followScheduleToken,
      logger: loggerToken,
    },
    ({ database, sync, looks, interventions, tokens, writer, ...parts }) => {
      const changes = new SqlChanges(database);
      return new DatabaseFollower({
        watchChanges: () => database.watchChanges,
        versions: () => changes.versions(),
        followSource: (source) => sync.follow([source]),
        followInterventions: () => interventions.follow(),
        followLooks: () => looks.follow(),
        refreshTokens: () => tokens.look(),
        compareStored: () => writer.compareStored(),
        ...parts,
      });
    },
  ),
  factoryProvider(
    RequestForwarding,
    { leadership: leadershipToken, configuration: configurationToken, logger: loggerToken },
    ({ leadership, configuration, logger }) =>
      new RequestForwarding({
        leadership,
        knownTexts: new KnownQueries(configuration.graphql).texts,
        log: (fields, message) => logger.warn(fields, message),
        caFile: configuration.coordination?.caFile,
      }),
  ),
];

/** What several processes on one database know of one another. */
@Module({
  imports: [AuthModule, GitSyncModule, LedgerModule, ReconcileModule],
  providers,
  exports: providers,
})
export class ReplicasModule {}
