import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Operation } from '#contracts';
import { QueryError } from '../../admin/requests/query-error.ts';
import { nobody, type Principal } from '../../auth/callers/principal.ts';
import { type ArgumentPlace, describeArgument } from '../../http/describe-argument.ts';
import { whenLeft } from '../../refusals/when-left.ts';
import { requireState } from './preconditions.ts';

/** Under which a handler's operation is found. */
export const operationKey = Symbol('Operation');

/** What a request asks of an operation, in the operation's own form. */
export interface Asked<O extends Operation> {
  readonly principal: Principal;
  readonly parameters: z.output<O['parameters']>;
  readonly query: z.output<O['query']>;
  readonly body: z.output<O['body']>;
  /**
   * Holds an action to the `If-Match` and `If-None-Match` of the request.
   *
   * @throws ProblemError `PreconditionFailed`
   */
  readonly requireState: (current: object) => void;
  /** Aborted where the caller leaves before the answer. */
  readonly whenLeft: () => AbortSignal;
}

/** The request of an operation, checked against it. @throws QueryError `BadArgument` */
export const AskedOf = createParamDecorator((_: unknown, context: ExecutionContext) =>
  askedOf(
    operationOf(context),
    context.switchToHttp().getRequest<FastifyRequest>(),
    context.switchToHttp().getResponse<FastifyReply>(),
  ),
);

/** The operation that a handler serves. */
export function operationOf(context: ExecutionContext): Operation {
  return Reflect.getMetadata(operationKey, context.getHandler()) as Operation;
}

function askedOf(operation: Operation, request: FastifyRequest, reply: FastifyReply): Asked<Operation> {
  // Before the query, which lacks what is in a body that is not read.
  const body = bodyOf(operation, request.body);
  const ofQuery = { where: 'the query', known: namesOf(operation.query) };
  const ofBody = { where: 'the body', known: namesOf(operation.body) };
  return {
    principal: request.principal ?? nobody,
    parameters: checked(operation.parameters, request.params, { where: 'the path' }),
    query: checked(operation.query, request.query, { ...ofQuery, elsewhere: ofBody }),
    body: checked(operation.body, body, { ...ofBody, elsewhere: ofQuery }),
    requireState: (current) => requireState(request.headers, current),
    whenLeft: () => whenLeft(reply.raw),
  };
}

/** Many clients send an empty object where no body is wanted. @throws QueryError `BadArgument` where it says something */
function bodyOf({ body, query }: Operation, sent: unknown): unknown {
  if (!(body instanceof z.ZodUndefined)) return sent;
  const isEmpty =
    sent === undefined || sent === null || (typeof sent === 'object' && Object.keys(sent).length === 0);
  if (isEmpty) return undefined;
  const place = 'reason' in query.shape ? ', and reads reason from the query: ?reason=SENTENCE' : '';
  throw new QueryError('BadArgument', `the body is not empty; this operation takes none${place}`);
}

/** The names that a form has at its top. */
function namesOf(form: z.ZodType): readonly string[] {
  return form instanceof z.ZodObject ? Object.keys(form.shape) : [];
}

function checked<T extends z.ZodType>(form: T, given: unknown, place: ArgumentPlace): z.output<T> {
  const parsed = form.safeParse(given);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const sentence =
    issue === undefined ? `${place.where} is not understood` : describeArgument(issue, given, place);
  throw new QueryError('BadArgument', sentence);
}
