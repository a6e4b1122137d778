import { join } from 'node:path';
import { Module } from '@nestjs/common';
import { GitAdapter } from '#adapter-git';
import { ParserPool } from '#adapter-parser';
import { SqlLookStore } from '#adapter-sql';
import type { SyncJournalPort } from '#git-sync';
import { LedgerWriter } from '#ledger';
import type { ActivePoliciesPort } from '#reconciliation';
import { ClusterModule, clusterToken } from '../cluster/cluster.module.ts';
import { clockToken, configurationToken, loggerToken } from '../configuration/configuration.module.ts';
import { Holdings } from '../coordination/holdings/holdings.ts';
import { leadershipToken } from '../coordination/shards/leadership.ts';
import { DeferredLedgerDatabase } from '../database/deferred-ledger-database.ts';
import { ForgeModule } from '../forge/forge.module.ts';
import { ForgeObserver } from '../forge/forge-observer.ts';
import {
  LedgerModule,
  ledgerToken,
  pullRequestStoreToken,
  revisionStoreToken,
} from '../ledger/ledger.module.ts';
import { LoopActivities } from '../logging/loop-activities.ts';
import { factoryProvider, portToken } from '../provider.ts';
import { DeferredTraces } from '../traces/deferred-traces.ts';
import { TracesModule } from '../traces/traces.module.ts';
import { createPolicySync } from './create-policy-sync.ts';
import { LedgerSyncJournal } from './ledger-sync-journal.ts';
import type { PolicySync } from './policy-sync.ts';
import { SourceLooks } from './source-looks.ts';
import type { SourceOperations } from './source-operations.ts';

export const syncJournalToken = portToken<SyncJournalPort>('SyncJournal');
export const policySyncToken = portToken<PolicySync>('PolicySync');
export const activePoliciesToken = portToken<ActivePoliciesPort>('ActivePolicies');
export const sourceOperationsToken = portToken<SourceOperations>('SourceOperations');

const providers = [
  factoryProvider(
    GitAdapter,
    { configuration: configurationToken },
    ({ configuration }) =>
      new GitAdapter({ folder: join(configuration.dataFolder, 'git'), now: () => Date.now() }),
  ),
  factoryProvider(ParserPool, {}, () => new ParserPool()),
  factoryProvider(
    syncJournalToken,
    {
      writer: LedgerWriter,
      fences: Holdings,
      ledger: ledgerToken,
      pullRequests: pullRequestStoreToken,
    },
    (parts): SyncJournalPort => new LedgerSyncJournal(parts),
  ),
  factoryProvider(
    SourceLooks,
    {
      database: DeferredLedgerDatabase,
      holdings: Holdings,
      leadership: leadershipToken,
      logger: loggerToken,
    },
    ({ database, ...parts }) => new SourceLooks({ ...parts, store: new SqlLookStore(database) }),
  ),
  factoryProvider(
    policySyncToken,
    {
      configuration: configurationToken,
      git: GitAdapter,
      parser: ParserPool,
      store: revisionStoreToken,
      journal: syncJournalToken,
      ledger: ledgerToken,
      clock: clockToken,
      cluster: clusterToken,
      observer: ForgeObserver,
      logger: loggerToken,
      activities: LoopActivities,
      leadership: leadershipToken,
      looks: SourceLooks,
      traces: DeferredTraces,
    },
    ({ leadership, ...options }) => createPolicySync({ ...options, isLeader: leadership.isLeader }),
  ),
  factoryProvider(activePoliciesToken, { sync: policySyncToken }, ({ sync }) => sync.activePolicies),
  factoryProvider(sourceOperationsToken, { sync: policySyncToken }, ({ sync }) => sync.sources),
];

/** From the commits of the configured sources to the policies in force. */
@Module({ imports: [LedgerModule, ClusterModule, ForgeModule, TracesModule], providers, exports: providers })
export class GitSyncModule {}
