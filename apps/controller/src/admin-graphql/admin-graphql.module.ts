import { type DynamicModule, Module } from '@nestjs/common';
import { GraphQLModule } from '@nestjs/graphql';
import type { MercuriusDriverConfig } from '@nestjs/mercurius';
import type { Logger } from 'pino';
import { AdminQueries } from '../admin/admin-queries.ts';
import { graphqlOptions } from './graphql-options.ts';
import { LedgerResolver } from './ledger.resolver.ts';
import { PoliciesResolver } from './policies.resolver.ts';
import { JsonScalar } from './types/json.scalar.ts';

/** What the GraphQL API stands on. */
export interface AdminGraphqlOptions {
  readonly queries: AdminQueries;
  readonly logger: Logger;
}

/** The classes that make the schema; the schema generator uses the same list. */
export const resolvers = [PoliciesResolver, LedgerResolver];

/** The admin API at `/graphql`. */
@Module({})
export class AdminGraphqlModule {
  static register({ queries, logger }: AdminGraphqlOptions): DynamicModule {
    return {
      module: AdminGraphqlModule,
      imports: [GraphQLModule.forRoot<MercuriusDriverConfig>(graphqlOptions(logger))],
      providers: [...resolvers, JsonScalar, { provide: AdminQueries, useValue: queries }],
    };
  }
}
