import {
  type DocumentNode,
  type FragmentDefinitionNode,
  getOperationAST,
  GraphQLError,
  type GraphQLSchema,
  Kind,
  OperationTypeNode,
  parse,
  type SelectionSetNode,
  validate,
} from 'graphql';
import { QueryError } from '../../admin/query-error.ts';
import { maximumDepth, maximumTokens } from '../graphql-options.ts';
import type { KnownQueries } from '../known-queries.ts';
import { refuseCostly } from '../refuse-costly.ts';

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
    const invalid = validate(schema, document);
    if (invalid.length > 0) return invalid.map(refused);
    const variableValues = variables ?? {};
    if (getOperationAST(document, operationName)?.operation !== OperationTypeNode.SUBSCRIPTION) {
      throw new QueryError(
        'BadQuery',
        'only subscriptions are asked for here; the rest is asked at /graphql',
      );
    }
    const depth = depthOf(document);
    if (depth > maximumDepth)
      throw new QueryError('BadQuery', `the query is ${depth} deep, at most ${maximumDepth}`);
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

/** Of a valid document, whose fragments are in no circle: each is looked at once. */
function depthOf({ definitions }: DocumentNode): number {
  const fragments = new Map(
    definitions
      .filter((each): each is FragmentDefinitionNode => each.kind === Kind.FRAGMENT_DEFINITION)
      .map((fragment) => [fragment.name.value, fragment]),
  );
  const known = new Map<string, number>();
  const ofFragment = (name: string): number => {
    const depth = known.get(name) ?? ofSelection(fragments.get(name)?.selectionSet);
    known.set(name, depth);
    return depth;
  };
  const ofSelection = (set: SelectionSetNode | undefined): number =>
    Math.max(
      0,
      ...(set?.selections ?? []).map((selection) => {
        if (selection.kind === Kind.FIELD) return 1 + ofSelection(selection.selectionSet);
        if (selection.kind === Kind.INLINE_FRAGMENT) return ofSelection(selection.selectionSet);
        return ofFragment(selection.name.value);
      }),
    );
  const depths = definitions.map((each) =>
    each.kind === Kind.OPERATION_DEFINITION ? ofSelection(each.selectionSet) : 0,
  );
  return Math.max(0, ...depths);
}
