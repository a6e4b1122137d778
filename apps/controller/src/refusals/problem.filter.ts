import { randomUUID } from 'node:crypto';
import { type ArgumentsHost, Catch, type ExceptionFilter, HttpException } from '@nestjs/common';
import type { GqlContextType } from '@nestjs/graphql';
import type { FastifyReply } from 'fastify';
import type { Logger } from 'pino';
import { AdapterError, databaseCondition } from '#kernel';
import { outcomeUnknown } from '#ledger';
import { QueryError, type QueryErrorDetails } from '../admin/requests/query-error.ts';
import { DatabaseAway, isOfDatabase, outageText } from '../database/database-away.ts';
import { databaseCorrupt, httpProblem, type Problem, sendProblem } from '../http/problem.ts';
import { ProblemError } from '../http/problem-error.ts';
import { toActionEffect, toIntervention } from './effect-forms.ts';
import { queryErrorStatus } from './query-error-status.ts';

/**
 * Turns whatever a controller, a guard or Fastify throws into `application/problem+json`: callers' mistakes with their
 * status and reason, everything else masked, with an id that is found in the log. GraphQL formats its errors itself.
 */
@Catch()
export class ProblemFilter implements ExceptionFilter {
  readonly #logger: Logger;

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  catch(error: unknown, host: ArgumentsHost): unknown {
    if (host.getType<GqlContextType>() === 'graphql') return error;
    return sendProblem(host.switchToHttp().getResponse<FastifyReply>(), this.problemOf(error));
  }

  /** The problem that an error is answered with; one that is no caller's mistake is logged. */
  problemOf(error: unknown): Problem {
    noteDamage(error, this.#logger);
    const known = callerProblem(error);
    if (known !== undefined) return known;
    const id = randomUUID();
    this.#logger.error({ err: error, errorId: id }, 'a request failed');
    return { status: 500, code: 'InternalError', detail: `internal error ${id}` };
  }
}

/** Damage that only reads come to is told of nowhere else. */
export function noteDamage(error: unknown, logger: Pick<Logger, 'error'>): void {
  if (isOfDamage(error)) logger.error({ err: error }, 'the database is damaged');
}

/** The problem of a caller's mistake; undefined: the mistake is ours. */
export function callerProblem(error: unknown): Problem | undefined {
  const refusal = refusalProblem(error);
  if (refusal !== undefined) return refusal;
  const { statusCode, code } = error as Readonly<Record<'statusCode' | 'code', unknown>>;
  const detail = unreadableBodies.get(code);
  if (detail !== undefined) return { status: 400, code: 'BadRequest', detail };
  if (typeof statusCode !== 'number' || statusCode < 400 || statusCode >= 500) return undefined;
  return httpProblem(statusCode);
}

/**
 * The problem of what was refused on purpose, or of what is not there now; undefined: it is neither. Other errors that bear
 * a status, as Fastify's of a request do, may be of a request that this process has made.
 */
export function refusalProblem(error: unknown): Problem | undefined {
  if (error instanceof ProblemError) return error.problem;
  if (error instanceof QueryError) {
    return {
      status: queryErrorStatus[error.code],
      code: error.code,
      detail: error.message,
      ...wireDetails(error.details),
    };
  }
  if (error instanceof AdapterError && error.code === outcomeUnknown) return unknownOutcome;
  if (isOfDamage(error)) return damagedDatabase;
  if (error instanceof AdapterError && (error.retryable || error instanceof DatabaseAway))
    return awayProblem(error);
  return error instanceof HttpException ? httpProblem(error.getStatus()) : undefined;
}

/** By Fastify's codes. A key that changes what objects are is refused as what is no JSON. */
const unreadableBodies: ReadonlyMap<unknown, string> = new Map([
  [
    'FST_ERR_CTP_INVALID_JSON_BODY',
    'the body is no JSON, or has a key that is refused: __proto__, or constructor with prototype',
  ],
  ['FST_ERR_CTP_EMPTY_JSON_BODY', 'the body is empty, and JSON is wanted'],
]);

/** What is away is no error of ours. */
function awayProblem(error: AdapterError): Problem {
  if (error.system !== 'Database') return unavailable;
  const detail =
    error instanceof DatabaseAway
      ? `${outageText(error.outage)}: what is recorded in it can be neither read nor added to; ${meanwhile}`
      : `the database could not answer this: ${databaseCondition(error.code)}; ask again once it can`;
  return { ...databaseUnavailable, detail };
}

const meanwhile =
  'policies in force are decided from memory, and nothing is scaled, until it is back, which is noticed within seconds';

/** Whether what was to be read or written is damaged in the database: it does not come back by itself. */
export function isOfDamage(error: unknown): error is AdapterError {
  return isOfDatabase(error) && error.code === databaseCorrupt;
}

/** Without the file, which is in the log. */
export const damagedDatabase: Problem = {
  status: 503,
  code: databaseCorrupt,
  detail:
    'the database is damaged where this is stored, and does not come back by itself: stop the controller, keep the file, look at its disk, and restore a backup, as the runbook says (docs/runbook.md); the log names what is damaged',
};

/** What a request is answered with that the database does not answer. */
export const databaseUnavailable = { status: 503, code: 'DatabaseUnavailable' } as const;

/** A Git server that is away, or an API server; what fails is in the status of the controller. */
export const unavailable: Problem = {
  status: 503,
  code: 'Unavailable',
  detail: 'what answers this is not there now; /readyz says what is',
};

/** The answer to a COMMIT was lost. Nothing invites to a repetition: it might do the same once more. */
export const unknownOutcome: Problem = {
  status: 503,
  code: 'OutcomeUnknown',
  detail:
    'the database has not said whether this is recorded, so that it may have been carried out: look whether it is done, as in /api/v1/audit-entries, before it is asked for again; with an Idempotency-Key nothing is carried out twice',
};

function wireDetails({
  effect,
  standing,
  bound,
}: QueryErrorDetails): Pick<Problem, 'effect' | 'standing' | 'bound'> {
  return {
    ...(effect === undefined ? {} : { effect: toActionEffect(effect) }),
    ...(standing === undefined ? {} : { standing: toIntervention(standing) }),
    ...(bound === undefined ? {} : { bound }),
  };
}
