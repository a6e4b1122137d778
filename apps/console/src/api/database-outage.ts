import type { CombinedError, OperationResult } from 'urql';
import { createStore } from '../state/store.ts';
import { faultOf } from './answer-fault.ts';
import { databaseCorrupt, databaseUnavailable } from './problem.ts';

/** Whether an answer said lately that the database is not reached. */
export const isDatabaseAway = createStore(false);

/** Takes in what an answer says of the database. */
export function noteDatabase({ error }: OperationResult): void {
  if (error?.graphQLErrors.some((each) => codeOf(each) === databaseUnavailable) === true)
    isDatabaseAway.set(true);
}

/**
 * What an answer has without the database: all of it but fields that are null in its place. Undefined: it has nothing, or
 * lacks anything else. A field that may not be null takes its parent with it, which then looks as if it were not there.
 */
export function partOf({ data, error, operation }: OperationResult): unknown {
  const errors = error?.graphQLErrors ?? [];
  const isPart =
    errors.length > 0 && errors.every((each) => isOfDatabase(each) && isNullItself(data, each.path ?? []));
  return isPart && faultOf(data, operation.query) === undefined ? (data as unknown) : undefined;
}

type FieldError = CombinedError['graphQLErrors'][number];

function isOfDatabase(error: FieldError): boolean {
  const code = codeOf(error);
  return code === databaseUnavailable || code === databaseCorrupt;
}

function codeOf({ extensions }: FieldError): unknown {
  return extensions['code'];
}

/** Whether a field is null, while what it is a field of is there. */
function isNullItself(data: unknown, path: readonly (string | number)[]): boolean {
  const [key, ...rest] = path;
  if (key === undefined) return data === null;
  if (typeof data !== 'object' || data === null) return false;
  return isNullItself((data as Readonly<Record<string | number, unknown>>)[key], rest);
}
