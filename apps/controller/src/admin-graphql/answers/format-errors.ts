import { randomUUID } from 'node:crypto';
import type { FastifyReply } from 'fastify';
import { type ExecutionResult, GraphQLError } from 'graphql';
import type { Logger } from 'pino';
import { QueryError } from '../../admin/requests/query-error.ts';
import { retryAfterSeconds, sendProblem } from '../../http/problem.ts';
import {
  callerProblem,
  damagedDatabase,
  databaseUnavailable,
  noteDamage,
  refusalProblem,
  unavailable,
  unknownOutcome,
} from '../../refusals/problem.filter.ts';
import type { Negotiated } from './negotiate.ts';

/** What mercurius wants of an error formatter. */
export interface FormattedErrors {
  readonly statusCode: number;
  readonly response: ExecutionResult;
}

/**
 * The errors of an operation that was executed: expected failures by their code, what is not there now as REST says it,
 * everything else masked, with an id that is found in the log.
 */
export function formatErrors(
  execution: ExecutionResult,
  { logger, reply }: Pick<ErrorDestination, 'logger' | 'reply'>,
): FormattedErrors {
  const errors = (execution.errors ?? []).map((error) => presentError(error, logger));
  const response = { data: execution.data ?? null, errors };
  if (response.data !== null) return { statusCode: 200, response };
  const codes = new Set(errors.map(({ extensions }) => extensions['code']));
  if (codes.has('InternalError')) return { statusCode: 500, response };
  if (codes.has(unknownOutcome.code)) return { statusCode: unknownOutcome.status, response };
  const isDamaged = codes.has(damagedDatabase.code);
  if (!isDamaged && away.isDisjointFrom(codes)) return { statusCode: 200, response };
  if (!isDamaged) void reply.header('retry-after', retryAfterSeconds);
  return { statusCode: unavailable.status, response };
}

/** What may be there again soon, by its code. */
const away: ReadonlySet<unknown> = new Set([unavailable.code, databaseUnavailable.code]);

/** Where an error goes. */
export interface ErrorDestination extends Negotiated {
  readonly reply: FastifyReply;
  readonly logger: Logger;
}

/**
 * Answers a request that was not executed, without `data`: what is no GraphQL request with a problem; a mutation by GET
 * with 405; what GraphQL refuses (syntax, validation, depth, cost) with its errors and 400, or 200 for those who name
 * `application/json`.
 */
export function sendError(
  error: unknown,
  { reply, logger, type, isAlways200 }: ErrorDestination,
): FastifyReply {
  const refused = refusalOf(error);
  void reply.type(`${type}; charset=utf-8`);
  if (refused !== undefined) {
    const { status, code, messages } = refused;
    const errors = messages.map((message) => withCode(message, code));
    return reply.code(isAlways200 && status === 400 ? 200 : status).send({ errors });
  }
  noteDamage(error, logger);
  const problem = callerProblem(error);
  if (problem !== undefined) return sendProblem(reply, problem);
  const id = randomUUID();
  logger.error({ err: error, errorId: id }, 'a GraphQL request failed');
  const internal = new GraphQLError(`internal error ${id}`, { extensions: { code: 'InternalError', id } });
  return reply.code(500).send({ errors: [internal] });
}

/** Mercurius' codes of them. */
export const mutationNotPosted = 'MER_ERR_METHOD_NOT_ALLOWED';
export const queryNotValid = 'MER_ERR_GQL_VALIDATION';

interface Refusal {
  readonly status: number;
  readonly code: string;
  readonly messages: readonly Error[];
}

function refusalOf(error: unknown): Refusal | undefined {
  if (error instanceof QueryError) {
    const status = error.code === 'DeadlineExceeded' ? 503 : 400;
    return { status, code: error.code, messages: [error] };
  }
  if (!(error instanceof Error) || !('code' in error)) return undefined;
  if (error.code === mutationNotPosted)
    return { status: 405, code: 'MutationByGet', messages: [new Error('a mutation is sent by POST')] };
  if (typeof error.code !== 'string' || !error.code.startsWith('MER_ERR_GQL_')) return undefined;
  return { status: 400, code: persistedQueryCodes[error.code] ?? 'BadQuery', messages: messagesOf(error) };
}

function messagesOf(error: Error): readonly Error[] {
  const inner = 'errors' in error && Array.isArray(error.errors) ? error.errors.filter(isError) : [];
  return inner.length === 0 ? [error] : inner;
}

/** Clients send the query whole after the first of them, and hashes no more after the second. */
const persistedQueryCodes: Readonly<Record<string, string>> = {
  MER_ERR_GQL_PERSISTED_QUERY_NOT_FOUND: 'PersistedQueryNotFound',
  MER_ERR_GQL_PERSISTED_QUERY_NOT_SUPPORTED: 'PersistedQueryNotSupported',
  MER_ERR_GQL_PERSISTED_QUERY_MISMATCH: 'PersistedQueryMismatch',
};

function isError(value: unknown): value is Error {
  return value instanceof Error;
}

function withCode(error: Error, code: string): GraphQLError {
  const { nodes = null, positions = null, source = null } = error instanceof GraphQLError ? error : {};
  return new GraphQLError(error.message, { nodes, positions, source, extensions: { code } });
}

/** An error of an operation, as its caller sees it. */
export function presentError(error: GraphQLError, logger: Logger): GraphQLError {
  const cause = error.originalError;
  if (cause === undefined) return atPlace(error, error.message, { code: 'BadQuery' });
  noteDamage(cause, logger);
  const problem = refusalProblem(cause);
  if (problem !== undefined) return atPlace(error, problem.detail, { code: problem.code });
  if (cause instanceof GraphQLError) return error;
  const id = randomUUID();
  logger.error({ err: cause, errorId: id, path: error.path }, 'a GraphQL field failed');
  return atPlace(error, `internal error ${id}`, { code: 'InternalError', id });
}

function atPlace(error: GraphQLError, message: string, extensions: Record<string, unknown>): GraphQLError {
  return new GraphQLError(message, {
    nodes: error.nodes ?? null,
    path: error.path ?? null,
    positions: error.positions ?? null,
    extensions,
  });
}
