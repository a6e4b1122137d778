import type { MercuriusDriverConfig } from '@nestjs/mercurius';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type DocumentNode, type GraphQLSchema, Kind, OperationTypeNode } from 'graphql';
import type { Logger } from 'pino';
import { QueryError } from '../admin/query-error.ts';
import { nobody, type Principal } from '../auth/principal.ts';
import { consoleDocuments } from '../console/built-console.ts';
import type { LoopActivities } from '../metrics/loop-activities.ts';
import { AnswerBudget } from './answer-budget.ts';
import { formatErrors, sendError } from './format-errors.ts';
import { negotiate, prepareRequest } from './negotiate.ts';
import { createPersistedQueries } from './persisted-queries.ts';
import { refuseCostly } from './refuse-costly.ts';
import { entryTypes } from './types/entries.type.ts';

/** Where a WebSocket is opened for subscriptions. */
export const subscriptionsPath = '/graphql/subscriptions';

/** What resolvers know of their caller and of the answer so far. */
export interface RequestContext {
  readonly principal: Principal;
  readonly budget: AnswerBudget;
}

/** Deep enough for policy → decisions → edges → node → metrics → pods → filteredOut, and no deeper. */
export const maximumDepth = 12;

/** Four times a console's longest query: what compares fields with one another takes time in their square. */
export const maximumTokens = 2_000;

/** Of an operation, as the monitor of the loop names it. */
const maximumNotedFields = 5;

/** A query is compiled once it has been asked this often. */
const compileAfter = 1;

/** How the GraphQL endpoint is served; `schemaFile` is written by `npm run generate` only. */
export function graphqlOptions(
  logger: Logger,
  { note }: Pick<LoopActivities, 'note'>,
): Omit<MercuriusDriverConfig, 'driver'> {
  return {
    autoSchemaFile: true,
    sortSchema: true,
    buildSchemaOptions: { orphanedTypes: entryTypes },
    path: '/graphql',
    graphiql: false,
    jit: compileAfter,
    queryDepth: maximumDepth,
    allowBatchedQueries: false,
    persistedQueryProvider: createPersistedQueries(consoleDocuments()),
    additionalRouteOptions: { preValidation: prepareRequest },
    context: (request: { readonly principal?: Principal }): RequestContext => ({
      principal: request.principal ?? nobody,
      budget: new AnswerBudget(),
    }),
    graphql: { parseOptions: { maxLexicalTokens: maximumTokens } },
    hooks: { preParsing: refuseJson, preExecution: (...execution) => beginExecution(note, execution) },
    errorFormatter: (execution) => formatErrors(execution, logger),
    errorHandler: async (error: unknown, request: FastifyRequest, reply: FastifyReply) => {
      await sendError(error, { reply, logger, ...negotiate(request) });
    },
  };
}

/** Mercurius would take JSON for a document that is parsed already, and trust its form. */
async function refuseJson(_schema: GraphQLSchema, source: string): Promise<void> {
  await Promise.resolve();
  if (isJson(source)) throw new QueryError('BadQuery', 'a query is GraphQL text, and this is JSON');
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

type ExecutionHook = [GraphQLSchema, DocumentNode, unknown, Readonly<Record<string, unknown>> | undefined];

async function beginExecution(
  note: LoopActivities['note'],
  [schema, document, , variables]: ExecutionHook,
): Promise<void> {
  await Promise.resolve();
  if (isSubscription(document))
    throw new QueryError('BadQuery', `a subscription is asked for over a WebSocket, at ${subscriptionsPath}`);

  refuseCostly({ schema, document, variables: variables ?? {} });
  note(`GraphQL ${fieldsOf(document).join(', ')}`);
}

/** Whether any operation of a document is one. */
function isSubscription({ definitions }: DocumentNode): boolean {
  return definitions.some(
    (definition) =>
      definition.kind === Kind.OPERATION_DEFINITION &&
      definition.operation === OperationTypeNode.SUBSCRIPTION,
  );
}

/** What an operation asks for, by the schema's own names. */
export function fieldsOf({ definitions }: DocumentNode): readonly string[] {
  return definitions
    .flatMap((definition) =>
      definition.kind === Kind.OPERATION_DEFINITION ? definition.selectionSet.selections : [],
    )
    .flatMap((selection) => (selection.kind === Kind.FIELD ? selection.name.value : []))
    .slice(0, maximumNotedFields);
}
