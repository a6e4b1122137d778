import { CombinedError, type OperationResult } from 'urql';

/**
 * The result, with an error where its data is not what was asked for: not an object, or without one of the fields. A
 * proxy that answers in the controller's place, or a controller of another release, breaks no page so.
 */
export function readableAnswer(result: OperationResult): OperationResult {
  const { error, operation } = result;
  const data: unknown = result.data;
  if (error !== undefined || data === undefined || hasFields(data, fieldsOf(operation.query))) return result;
  const unreadable = new CombinedError({
    networkError: new Error('the answer has not the fields that were asked for'),
    response: { ok: true, status: 200 },
  });
  return { ...result, data: undefined, error: unreadable };
}

type Query = OperationResult['operation']['query'];
type SelectionNode = Extract<
  Query['definitions'][number],
  { operation: unknown }
>['selectionSet']['selections'][number];

/** As the answer has them. */
function fieldsOf({ definitions }: Query): readonly string[] {
  return definitions.flatMap((definition) =>
    'operation' in definition ? definition.selectionSet.selections.flatMap(fieldOf) : [],
  );
}

/** Of a field; a fragment has none of its own. */
function fieldOf(selection: SelectionNode): readonly string[] {
  return 'alias' in selection ? [(selection.alias ?? selection.name).value] : [];
}

function hasFields(data: unknown, fields: readonly string[]): boolean {
  return typeof data === 'object' && data !== null && fields.every((field) => Object.hasOwn(data, field));
}
