import { Module } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { ClusterModule } from '../cluster/cluster.module.ts';
import { ForgeModule } from '../forge/forge.module.ts';
import { GitSyncModule } from '../git-sync/git-sync.module.ts';
import { LedgerModule } from '../ledger/ledger.module.ts';
import { ReconcileModule } from '../reconcile/reconcile.module.ts';
import { accessProviders } from './access/access-providers.ts';
import { RolesGuard } from './access/roles.guard.ts';
import { actionProviders } from './actions/action-providers.ts';
import { effectProviders } from './effects/effect-providers.ts';
import { historyProviders } from './history/history-providers.ts';
import { policyProviders } from './policies/policy-providers.ts';
import { sourceProviders } from './sources/source-providers.ts';

const providers = [
  ...accessProviders,
  ...sourceProviders,
  ...policyProviders,
  ...historyProviders,
  ...effectProviders,
  ...actionProviders,
];

/** What the admin APIs ask and do, and what a role allows; it knows neither GraphQL nor REST. */
@Module({
  imports: [LedgerModule, ClusterModule, ForgeModule, GitSyncModule, ReconcileModule],
  providers: [...providers, { provide: APP_GUARD, useClass: RolesGuard }],
  exports: providers,
})
export class AdminModule {}
