import type { MercuriusDriverConfig } from '@nestjs/mercurius';
import type { Logger } from 'pino';
import type { Principal } from '../auth/token-authenticator.ts';
import { formatErrors } from './format-errors.ts';

/** What resolvers know of their caller. */
export interface RequestContext {
  readonly principal: Principal | undefined;
}

/** Deep enough for policy → decisions → edges → node → metrics → pods → filteredOut, and no deeper. */
const maximumDepth = 12;

/** A query is compiled once it has been asked this often. */
const compileAfter = 1;

/** How the GraphQL endpoint is served; `schemaFile` is written by `npm run generate` only. */
export function graphqlOptions(logger: Logger): Omit<MercuriusDriverConfig, 'driver'> {
  return {
    autoSchemaFile: true,
    sortSchema: true,
    path: '/graphql',
    graphiql: false,
    jit: compileAfter,
    queryDepth: maximumDepth,
    allowBatchedQueries: false,
    context: (request: { readonly principal?: Principal }): RequestContext => ({
      principal: request.principal,
    }),
    errorFormatter: (execution) => formatErrors(execution, logger),
  };
}
