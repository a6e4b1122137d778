import {
  type DocumentNode,
  getOperationAST,
  GraphQLError,
  type GraphQLSchema,
  OperationTypeNode,
  parse,
  validate,
} from 'graphql';
import { QueryError } from '../../admin/requests/query-error.ts';
import type { KnownQueries } from '../documents/known-queries.ts';
import { refuseCostly } from '../limits/refuse-costly.ts';
import { refuseRepeated } from '../limits/refuse-repeated.ts';
import { maximumTokens } from '../server/graphql-options.ts';

/** What a client sends to subscribe. */
export interface OperationRequest {
  readonly query: string;
  readonly operationName?: string | null | undefined;
  readonly variables?: Readonly<Record<string, unknown>> | null | undefined;
}

/** An operation that may be executed. */
export interface CheckedOperation {
  readonly document: DocumentNode;
  readonly operationName?: string | null | undefined;
  readonly variableValues: Readonly<Record<string, unknown>>;
}

/** Checks a subscription as queries are: tokens, validity, depth, cost. The errors say what is wrong with it. */
export function checkedOperation(
  schema: GraphQLSchema,
  { query, operationName, variables }: OperationRequest,
  known: Pick<KnownQueries, 'require'>,
): CheckedOperation | readonly GraphQLError[] {
  try {
    if (typeof query !== 'string') throw new QueryError('BadQuery', 'query is no text');
    known.require(query);
    const document = parse(query, { maxTokens: maximumTokens });
    refuseRepeated(document);
    const invalid = validate(schema, document);
    if (invalid.length > 0) return invalid.map(refused);
    const variableValues = variables ?? {};
    if (getOperationAST(document, operationName)?.operation !== OperationTypeNode.SUBSCRIPTION) {
      throw new QueryError(
        'BadQuery',
        'only subscriptions are asked for here; the rest is asked at /graphql',
      );
    }
    refuseCostly({ schema, document, variables: variableValues });
    return { document, operationName, variableValues };
  } catch (error) {
    if (error instanceof GraphQLError) return [refused(error)];
    if (error instanceof QueryError) return [withCode(error.message, error.code)];
    throw error;
  }
}

/** An error that names its code, as those of queries do. */
export function withCode(message: string, code: string): GraphQLError {
  return new GraphQLError(message, { extensions: { code } });
}

function refused({ message, nodes, positions, source }: GraphQLError): GraphQLError {
  return new GraphQLError(message, {
    nodes: nodes ?? null,
    positions: positions ?? null,
    source: source ?? null,
    extensions: { code: 'BadQuery' },
  });
}
