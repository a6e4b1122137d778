import { type DynamicModule, Module } from '@nestjs/common';
import { GraphQLModule } from '@nestjs/graphql';
import type { MercuriusDriverConfig } from '@nestjs/mercurius';
import type { Logger } from 'pino';
import { AdminActions } from '../admin/admin-actions.ts';
import { AdminQueries } from '../admin/admin-queries.ts';
import { PullRequestLookup } from '../admin/pull-request-lookup.ts';
import { CommitResolver } from './commit.resolver.ts';
import { graphqlOptions } from './graphql-options.ts';
import { LedgerResolver } from './ledger.resolver.ts';
import { PoliciesResolver } from './policies.resolver.ts';
import { SourcesResolver } from './sources.resolver.ts';
import { JsonScalar } from './types/json.scalar.ts';

/** What the GraphQL API stands on. */
export interface AdminGraphqlOptions {
  readonly queries: AdminQueries;
  readonly actions: AdminActions;
  readonly pullRequests: PullRequestLookup;
  readonly logger: Logger;
}

/** The classes that make the schema; the schema generator uses the same list. */
export const resolvers = [PoliciesResolver, LedgerResolver, SourcesResolver, CommitResolver];

/** The admin API at `/graphql`. */
@Module({})
export class AdminGraphqlModule {
  static register({ queries, actions, pullRequests, logger }: AdminGraphqlOptions): DynamicModule {
    return {
      module: AdminGraphqlModule,
      imports: [GraphQLModule.forRoot<MercuriusDriverConfig>(graphqlOptions(logger))],
      providers: [
        ...resolvers,
        JsonScalar,
        { provide: AdminQueries, useValue: queries },
        { provide: AdminActions, useValue: actions },
        { provide: PullRequestLookup, useValue: pullRequests },
      ],
    };
  }
}
