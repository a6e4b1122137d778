import { randomUUID } from 'node:crypto';
import { type ExecutionResult, GraphQLError } from 'graphql';
import type { Logger } from 'pino';
import { QueryError } from '../admin/query-error.ts';

/** What mercurius wants of an error formatter. */
export interface FormattedErrors {
  readonly statusCode: number;
  readonly response: ExecutionResult;
}

/**
 * Answers with what the caller can use: expected failures by their code, GraphQL's own (syntax, validation, limits)
 * as they are, and everything else masked, with an id that is found in the log.
 */
export function formatErrors(execution: ExecutionResult, logger: Logger): FormattedErrors {
  const errors = (execution.errors ?? []).flatMap(unwrapped).map((error) => presentError(error, logger));
  const isRefused = execution.data === undefined || execution.data === null;
  const statusCode =
    isRefused && errors.some(({ extensions }) => extensions['code'] === 'InternalError') ? 500 : 200;
  return { statusCode, response: { data: execution.data ?? null, errors } };
}

/** Syntax and validation errors arrive as one, with GraphQL's own inside. */
function unwrapped(error: GraphQLError): readonly GraphQLError[] {
  const cause: unknown = error.originalError;
  if (typeof cause !== 'object' || cause === null || !('errors' in cause)) return [error];
  const inner: unknown = cause.errors;
  return Array.isArray(inner)
    ? inner.filter((one): one is GraphQLError => one instanceof GraphQLError)
    : [error];
}

function presentError(error: GraphQLError, logger: Logger): GraphQLError {
  const cause = error.originalError;
  if (cause instanceof QueryError) return withCode(error, cause.message, { code: cause.code });
  if (cause === undefined) return withCode(error, error.message, { code: 'BadQuery' });
  if (cause instanceof GraphQLError) return error;
  const id = randomUUID();
  logger.error({ err: cause, errorId: id, path: error.path }, 'a GraphQL field failed');
  return withCode(error, `internal error ${id}`, { code: 'InternalError', id });
}

function withCode(error: GraphQLError, message: string, extensions: Record<string, unknown>): GraphQLError {
  return new GraphQLError(message, {
    nodes: error.nodes ?? null,
    path: error.path ?? null,
    positions: error.positions ?? null,
    extensions,
  });
}
