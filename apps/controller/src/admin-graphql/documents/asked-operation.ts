import {
  type DocumentNode,
  getOperationAST,
  GraphQLError,
  Kind,
  type OperationDefinitionNode,
  parse,
  type ParseOptions,
} from 'graphql';
import { shown } from '../../admin/requests/check-query.ts';
import { QueryError } from '../../admin/requests/query-error.ts';

/**
 * The operation of a document that is asked for.
 *
 * @throws QueryError `BadQuery` where there is none of the name, or there are several and none is named
 */
export function askedOperation(
  document: DocumentNode,
  operationName: string | undefined,
): OperationDefinitionNode {
  const found = getOperationAST(document, operationName);
  if (found) return found;
  throw new QueryError(
    'BadQuery',
    operationName === undefined
      ? 'the document has no operation, or several: operationName says which one is asked for'
      : `the document has no operation ${shown(operationName)}`,
  );
}

/**
 * Refuses a text that lacks the operation that is asked for: by GET Mercurius takes it for granted. What cannot be parsed
 * is refused later.
 *
 * @throws QueryError `BadQuery`
 */
export function requireAskedOperation(
  text: string,
  operationName: string | undefined,
  options: ParseOptions,
): void {
  let document: DocumentNode;
  try {
    document = parse(text, options);
  } catch (error) {
    if (error instanceof GraphQLError) return;
    throw error;
  }
  askedOperation(document, operationName);
}

/**
 * Whether a document may be compiled: Mercurius keeps what it compiles under the text alone, and would answer whatever is
 * asked of the same text with the operation that was asked for first, a query with a mutation.
 */
export function mayBeCompiled({ definitions }: DocumentNode): boolean {
  return definitions.filter(({ kind }) => kind === Kind.OPERATION_DEFINITION).length === 1;
}
