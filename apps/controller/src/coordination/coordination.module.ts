import { Module } from '@nestjs/common';
import { SqlFences, SqlScopeHolders, SqlShardLayout } from '#adapter-sql';
import type { FencePort } from '#ledger';
import { ClusterModule, clusterToken } from '../cluster/cluster.module.ts';
import {
  clockToken,
  configurationToken,
  leasesForbiddenToken,
  loggerToken,
  lossesToken,
  wasFencedToken,
} from '../configuration/configuration.module.ts';
import { DeferredLedgerDatabase } from '../database/deferred-ledger-database.ts';
import { LedgerDatabaseModule } from '../database/ledger-database.module.ts';
import { factoryProvider, portToken } from '../provider.ts';
import { createElectedHoldings, createLeaseRights } from './election/create-elected-holdings.ts';
import type { ElectedHoldings } from './election/elected-holdings.ts';
import { type Candidacy, Holdings } from './holdings/holdings.ts';
import { ProcessHoldings } from './holdings/process-holdings.ts';
import type { LeaseRights } from './leases/lease-rights.ts';
import { SharedSettings } from './leases/shared-settings.ts';
import { leadershipOf, leadershipToken } from './shards/leadership.ts';
import { ReplicaDirectory } from './shards/replica-directory.ts';
import { Shards } from './shards/shards.ts';

/** Null: this process carries all policies out, or waits until another ends. */
export const candidacyToken = portToken<Candidacy | null>('Candidacy');
/** Null: there are no Leases. */
const electedHoldingsToken = portToken<ElectedHoldings | null>('ElectedHoldings');
/** Null: Leases are not configured. */
export const leaseRightsToken = portToken<LeaseRights | null>('LeaseRights');
export const fencesToken = portToken<FencePort>('Fences');

const providers = [
  factoryProvider(
    fencesToken,
    { database: DeferredLedgerDatabase },
    ({ database }): FencePort => new SqlFences(database.scopes),
  ),
  factoryProvider(
    ProcessHoldings,
    { port: fencesToken, logger: loggerToken, wasFenced: wasFencedToken },
    (parts) => new ProcessHoldings(parts),
  ),
  factoryProvider(
    SharedSettings,
    { configuration: configurationToken, clock: clockToken, logger: loggerToken },
    (options) => new SharedSettings(options),
  ),
  factoryProvider(
    electedHoldingsToken,
    {
      configuration: configurationToken,
      cluster: clusterToken,
      fences: fencesToken,
      logger: loggerToken,
      wasFenced: wasFencedToken,
      losses: lossesToken,
      leasesForbidden: leasesForbiddenToken,
      settings: SharedSettings,
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
    // It is read before each renewal, which waits for nothing else.
    ({ holdings, database }) => new Shards(holdings, new SqlShardLayout(database.scopes.renewals)),
  ),
  factoryProvider(
    ReplicaDirectory,
    { leadership: leadershipToken, database: DeferredLedgerDatabase, shards: Shards, clock: clockToken },
    ({ database, ...parts }) => new ReplicaDirectory({ ...parts, holders: new SqlScopeHolders(database) }),
  ),
  factoryProvider(
    leaseRightsToken,
    { configuration: configurationToken, cluster: clusterToken, clock: clockToken, logger: loggerToken },
    createLeaseRights,
  ),
];

/** What this process holds, and may write under: which shards are its own, and who leads. */
@Module({ imports: [LedgerDatabaseModule, ClusterModule], providers, exports: providers })
export class CoordinationModule {}
