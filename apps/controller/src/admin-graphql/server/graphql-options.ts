import type { MercuriusDriverConfig } from '@nestjs/mercurius';
import type { FastifyReply, FastifyRequest } from 'fastify';
import {
  type DocumentNode,
  getVariableValues,
  type GraphQLSchema,
  Kind,
  type OperationDefinitionNode,
  OperationTypeNode,
} from 'graphql';
import type { Logger } from 'pino';
import { QueryError } from '../../admin/requests/query-error.ts';
import { nobody, type Principal } from '../../auth/callers/principal.ts';
import type { SourceOperations } from '../../git-sync/source-operations.ts';
import type { LoopActivities } from '../../logging/loop-activities.ts';
import { whenLeft } from '../../refusals/when-left.ts';
import { formatErrors, mutationNotPosted, queryNotValid, sendError } from '../answers/format-errors.ts';
import { negotiate, prepareRequest } from '../answers/negotiate.ts';
import { askedOperation, mayBeCompiled, requireAskedOperation } from '../documents/asked-operation.ts';
import { KeptQueries } from '../documents/kept-queries.ts';
import { KnownQueries, type KnownQueriesSettings } from '../documents/known-queries.ts';
import { createPersistedQueries } from '../documents/persisted-queries.ts';
import { AnswerBudget } from '../limits/answer-budget.ts';
import type { QueryCostInput } from '../limits/query-cost.ts';
import { beginDeadline } from '../limits/query-deadline.ts';
import { refuseCostly } from '../limits/refuse-costly.ts';
import { refuseRepeated } from '../limits/refuse-repeated.ts';
import { entryTypes } from '../types/entries.type.ts';
import { describeRoots } from './describe-roots.ts';

/** Where queries and mutations are sent. */
export const graphqlPath = '/graphql';

/** Where a WebSocket is opened for subscriptions. */
export const subscriptionsPath = '/graphql/subscriptions';

/** What resolvers know of their caller and of the answer so far. */
export interface RequestContext {
  readonly principal: Principal;
  readonly budget: AnswerBudget;
  /** Aborted where the caller leaves before the answer; absent: of a subscription, which ends otherwise. */
  readonly whenLeft?: () => AbortSignal;
}

interface QueryContext extends RequestContext {
  /** Which operation of the document is asked for; absent: it has one. */
  readonly operationName: string | undefined;
  /** Whatever is not posted, by HEAD too, is in the URL and changes nothing. */
  readonly isPosted: boolean;
  /** Lets the answer take no longer than a query may, from now on. */
  readonly beginDeadline: () => void;
}

/** What the endpoint is served beside. */
interface ServedParts {
  readonly activities: Pick<LoopActivities, 'note'>;
  readonly sources: Pick<SourceOperations, 'listSources'>;
}

/** How queries are bounded. */
export interface GraphqlSettings extends KnownQueriesSettings {
  readonly timeoutSeconds: number;
}

/** Four times a console's longest query: what compares fields with one another takes time in their square. */
export const maximumTokens = 2_000;

/** Of an operation, as the monitor of the loop names it. */
const maximumNotedFields = 5;

/** A query is compiled once it has been asked this often. */
const compileAfter = 1;

/** How the GraphQL endpoint is served; `schemaFile` is written by `npm run generate` only. */
export function graphqlOptions(
  logger: Logger,
  served: ServedParts,
  { timeoutSeconds, ...settings }: GraphqlSettings,
): Omit<MercuriusDriverConfig, 'driver'> {
  const known = new KnownQueries(settings);
  const kept = new KeptQueries(known.texts);
  return {
    autoSchemaFile: true,
    sortSchema: true,
    // Mercurius checks the schema that it is given; Nest would introspect the whole of it at each start.
    buildSchemaOptions: { orphanedTypes: entryTypes, skipCheck: true },
    transformSchema: describeRoots,
    path: graphqlPath,
    graphiql: false,
    jit: compileAfter,
    allowBatchedQueries: false,
    persistedQueryProvider: createPersistedQueries(known.texts),
    additionalRouteOptions: { preValidation: prepareRequest },
    context: (request: AskedRequest, reply: FastifyReply): QueryContext => ({
      principal: request.principal ?? nobody,
      budget: new AnswerBudget(),
      whenLeft: () => whenLeft(reply.raw),
      operationName: operationNameIn(request.method === 'POST' ? request.body : request.query),
      isPosted: request.method === 'POST',
      beginDeadline: () => beginDeadline(request, timeoutSeconds),
    }),
    graphql: { parseOptions: { maxLexicalTokens: maximumTokens } },
    hooks: {
      preParsing: async (schema, source, context) => {
        await refuseJson(source);
        known.require(source);
        // What is kept is of a schema, even where the next one is the same.
        kept.note(source, () => context.app.graphql.replaceSchema(schema));
        const { isPosted, operationName } = context as unknown as QueryContext;
        if (!isPosted) requireAskedOperation(source, operationName, { maxLexicalTokens: maximumTokens });
      },
      preValidation: async (_schema, document) => {
        await Promise.resolve();
        refuseRepeated(document);
      },
      preExecution: (...execution) => beginExecution(served, execution),
    },
    errorFormatter: (execution, { reply }) => formatErrors(execution, { logger, reply }),
    errorHandler: async (error: unknown, request: FastifyRequest, reply: FastifyReply) => {
      await sendError(error, { reply, logger, ...negotiate(request) });
    },
  };
}

interface AskedRequest {
  readonly method: string;
  readonly principal?: Principal;
  readonly body?: unknown;
  readonly query?: unknown;
}

function operationNameIn(asked: unknown): string | undefined {
  if (typeof asked !== 'object' || asked === null || !('operationName' in asked)) return undefined;
  return typeof asked.operationName === 'string' ? asked.operationName : undefined;
}

/** Mercurius would take JSON for a document that is parsed already, and trust its form. */
async function refuseJson(source: string): Promise<void> {
  await Promise.resolve();
  if (isJson(source)) throw new QueryError('BadQuery', 'a query is GraphQL text, and this is JSON');
}

/** What JSON may begin with, and documents do not. */
const beginsAsJson = /^\s*(?:[["\d-]|\{\s*["}]|true|false|null)/;

function isJson(text: string): boolean {
  // Parsing what is none takes longer than the rest of the check, and it is every query.
  if (!beginsAsJson.test(text)) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

type ExecutionHook = [GraphQLSchema, DocumentNode, unknown, Readonly<Record<string, unknown>> | undefined];

async function beginExecution(
  { activities, sources }: ServedParts,
  [schema, document, context, variables]: ExecutionHook,
): Promise<ExecutedInPlace | undefined> {
  await Promise.resolve();
  if (hasOperation(document, OperationTypeNode.SUBSCRIPTION))
    throw new QueryError('BadQuery', `a subscription is asked for over a WebSocket, at ${subscriptionsPath}`);

  const lengths = {
    // Each source is asked for its holds: for those queries alone that list them.
    get 'Query.sources'() {
      return sources.listSources().length;
    },
  };
  refuseCostly({ schema, document, variables: variables ?? {}, lengths });
  const { operationName, isPosted, beginDeadline: begin } = context as QueryContext;
  const operation = askedOperation(document, operationName);
  requireVariables(operation, { schema, variables: variables ?? {} });
  const isMutation = operation.operation === OperationTypeNode.MUTATION;
  if (isMutation && !isPosted) throw notPosted();
  if (!isMutation) begin();
  activities.note(`GraphQL ${fieldsOf(document).join(', ')}`);
  return mayBeCompiled(document) ? undefined : { document };
}

/** As many as GraphQL's own execution names: a list of the caller's may have tens of thousands that are wrong. */
const maximumVariableErrors = 50;

/**
 * Refuses variables that are not of their types. Mercurius does so itself, but not with the request that has a query
 * compiled, and what is compiled names each wrong item of a list.
 *
 * @throws Error as Mercurius
 */
function requireVariables(
  { variableDefinitions = [] }: OperationDefinitionNode,
  { schema, variables }: Pick<QueryCostInput, 'schema' | 'variables'>,
): void {
  const { errors } = getVariableValues(schema, variableDefinitions, variables, {
    maxErrors: maximumVariableErrors,
  });
  if (errors === undefined) return;
  throw Object.assign(new Error('the variables are not of their types'), { code: queryNotValid, errors });
}

/** As Mercurius refuses it by GET, and by nothing else. */
function notPosted(): Error {
  return Object.assign(new Error('a mutation is sent by POST'), { code: mutationNotPosted });
}

/** What a hook names is executed as it is, and not compiled. */
interface ExecutedInPlace {
  readonly document: DocumentNode;
}

/** Whether any operation of a document is of a type. */
function hasOperation({ definitions }: DocumentNode, type: OperationTypeNode): boolean {
  return definitions.some(
    (definition) => definition.kind === Kind.OPERATION_DEFINITION && definition.operation === type,
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
