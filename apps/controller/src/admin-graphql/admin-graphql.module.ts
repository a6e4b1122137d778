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
import { RequestGate } from '../auth/request-gate.ts';
import { configurationToken, loggerToken } from '../configuration/configuration.module.ts';
import { CoordinationModule } from '../coordination/coordination.module.ts';
import { GitSyncModule, sourceOperationsToken } from '../git-sync/git-sync.module.ts';
import type { SourceOperations } from '../git-sync/source-operations.ts';
import { HealthModule } from '../health/health.module.ts';
import { LoopActivities } from '../logging/loop-activities.ts';
import { factoryProvider } from '../provider.ts';
import { ReportsModule } from '../reports/reports.module.ts';
import { AllowedVersionResolver } from './allowed-version.resolver.ts';
import { AuditResolver } from './audit.resolver.ts';
import { BlameResolver } from './blame.resolver.ts';
import { CommitResolver } from './commit.resolver.ts';
import { DecisionResolver } from './decision.resolver.ts';
import { DegradationResolver } from './degradation.resolver.ts';
import { graphqlOptions } from './graphql-options.ts';
import { HistoryResolver } from './history.resolver.ts';
import { HoldResolver } from './hold.resolver.ts';
import { InterventionsResolver } from './interventions.resolver.ts';
import { KnownQueries } from './known-queries.ts';
import { LeaveResolver } from './leave.resolver.ts';
import { LedgerResolver } from './ledger.resolver.ts';
import { NodeResolver } from './node.resolver.ts';
import { OperatorActionResolver } from './operator-action.resolver.ts';
import { PoliciesResolver } from './policies.resolver.ts';
import { PolicyChartResolver } from './policy-chart.resolver.ts';
import { PolicyEffectResolver } from './policy-effect.resolver.ts';
import { PolicyValuesResolver, VersionValuesResolver } from './policy-values.resolver.ts';
import { PresentNodes } from './present-nodes.ts';
import { ReplicasResolver } from './replicas.resolver.ts';
import { ReportsResolver } from './reports.resolver.ts';
import { ScalingEventResolver } from './scaling-event.resolver.ts';
import { SourcesResolver } from './sources.resolver.ts';
import { LiveResolver } from './subscriptions/live.resolver.ts';
import { SubscriptionServer } from './subscriptions/subscription-server.ts';
import { TokensResolver } from './tokens.resolver.ts';
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
