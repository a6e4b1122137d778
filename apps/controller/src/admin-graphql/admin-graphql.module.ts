import { Module } from '@nestjs/common';
import { GraphQLModule, GraphQLSchemaHost } from '@nestjs/graphql';
import { MercuriusDriver, type MercuriusDriverConfig } from '@nestjs/mercurius';
import type { Logger } from 'pino';
import type { Configuration } from '#configuration';
import { InterventionActions } from '../admin/actions/intervention-actions.ts';
import { AdminModule } from '../admin/admin.module.ts';
import { PolicyQueries } from '../admin/policies/policy-queries.ts';
import { SourceAccess } from '../admin/sources/source-access.ts';
import { TokensModule } from '../admin/tokens.module.ts';
import { AuthModule } from '../auth/auth.module.ts';
import { RequestGate } from '../auth/gate/request-gate.ts';
import { configurationToken, loggerToken } from '../configuration/configuration.module.ts';
import { CoordinationModule } from '../coordination/coordination.module.ts';
import { GitSyncModule, sourceOperationsToken } from '../git-sync/git-sync.module.ts';
import type { SourceOperations } from '../git-sync/source-operations.ts';
import { HealthModule } from '../health/health.module.ts';
import { LoopActivities } from '../logging/loop-activities.ts';
import { factoryProvider } from '../provider.ts';
import { ReportsModule } from '../reports/reports.module.ts';
import { KnownQueries } from './documents/known-queries.ts';
import { AllowedVersionResolver } from './resolvers/allowed-version.resolver.ts';
import { AuditResolver } from './resolvers/audit.resolver.ts';
import { BlameResolver } from './resolvers/blame.resolver.ts';
import { CommitResolver } from './resolvers/commit.resolver.ts';
import { DecisionResolver } from './resolvers/decision.resolver.ts';
import { DegradationResolver } from './resolvers/degradation.resolver.ts';
import { HistoryResolver } from './resolvers/history.resolver.ts';
import { HoldResolver } from './resolvers/hold.resolver.ts';
import { InterventionsResolver } from './resolvers/interventions.resolver.ts';
import { LeaveResolver } from './resolvers/leave.resolver.ts';
import { LedgerResolver } from './resolvers/ledger.resolver.ts';
import { NodeResolver } from './resolvers/node.resolver.ts';
import { OperatorActionResolver } from './resolvers/operator-action.resolver.ts';
import { PoliciesResolver } from './resolvers/policies.resolver.ts';
import { PolicyChartResolver } from './resolvers/policy-chart.resolver.ts';
import { PolicyEffectResolver } from './resolvers/policy-effect.resolver.ts';
import { PolicyValuesResolver, VersionValuesResolver } from './resolvers/policy-values.resolver.ts';
import { PresentNodes } from './resolvers/present-nodes.ts';
import { ReplicasResolver } from './resolvers/replicas.resolver.ts';
import { ReportsResolver } from './resolvers/reports.resolver.ts';
import { ScalingEventResolver } from './resolvers/scaling-event.resolver.ts';
import { SourcesResolver } from './resolvers/sources.resolver.ts';
import { TokensResolver } from './resolvers/tokens.resolver.ts';
import { graphqlOptions } from './server/graphql-options.ts';
import { LiveResolver } from './subscriptions/live.resolver.ts';
import { SubscriptionServer } from './subscriptions/subscription-server.ts';
import { JsonScalar } from './types/json.scalar.ts';

/** The classes that make the schema; the schema generator uses the same list. */
export const resolvers = [
  PoliciesResolver,
  PolicyChartResolver,
  PolicyEffectResolver,
  PolicyValuesResolver,
  VersionValuesResolver,
  NodeResolver,
  AuditResolver,
  HistoryResolver,
  HoldResolver,
  LedgerResolver,
  SourcesResolver,
  TokensResolver,
  ReportsResolver,
  InterventionsResolver,
  CommitResolver,
  AllowedVersionResolver,
  DecisionResolver,
  BlameResolver,
  ScalingEventResolver,
  OperatorActionResolver,
  DegradationResolver,
  LiveResolver,
  LeaveResolver,
  ReplicasResolver,
];

type GraphqlParts = [Logger, LoopActivities, SourceOperations, Configuration];

/** The admin API at `/graphql`. */
@Module({
  imports: [
    AdminModule,
    AuthModule,
    CoordinationModule,
    HealthModule,
    ReportsModule,
    TokensModule,
    GraphQLModule.forRootAsync<MercuriusDriverConfig>({
      driver: MercuriusDriver,
      imports: [GitSyncModule],
      inject: [loggerToken, LoopActivities, sourceOperationsToken, configurationToken],
      useFactory: (...[logger, activities, sources, { graphql }]: GraphqlParts) =>
        graphqlOptions(logger, { activities, sources }, graphql),
    }),
  ],
  providers: [
    ...resolvers,
    JsonScalar,
    factoryProvider(
      PresentNodes,
      { policies: PolicyQueries, sources: SourceAccess, interventions: InterventionActions },
      (ports) => new PresentNodes(ports),
    ),
    factoryProvider(
      SubscriptionServer,
      {
        gate: RequestGate,
        schemaHost: GraphQLSchemaHost,
        activities: LoopActivities,
        configuration: configurationToken,
        logger: loggerToken,
      },
      ({ configuration, ...ports }) =>
        new SubscriptionServer({
          ...ports,
          limits: configuration.listen.subscribers,
          known: new KnownQueries(configuration.graphql),
        }),
    ),
  ],
})
export class AdminGraphqlModule {}
