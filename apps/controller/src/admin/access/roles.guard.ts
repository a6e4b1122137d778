import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { type GqlContextType, GqlExecutionContext } from '@nestjs/graphql';
import type { FastifyRequest } from 'fastify';
import type { JsonObject } from '#kernel';
import { hasRole, ownerOf, type Principal, type Role } from '../../auth/callers/principal.ts';
import { isPublic } from '../../auth/callers/public-routes.ts';
import { Roles } from '../../auth/callers/roles.decorator.ts';
import { QueryError } from '../requests/query-error.ts';
import { givenReasonOf } from './action-gate.ts';
import { checkArguments } from './check-arguments.ts';
import { type NamedAction, OperatorAction, type UncheckedArguments } from './operator-action.decorator.ts';
import { RefusalRecorder } from './refusal-recorder.ts';

/**
 * Decides whether the caller has the role of an operation anywhere. Who calls is established before, by the request gate;
 * in which namespaces it may act, after, by the application layer.
 */
@Injectable()
export class RolesGuard implements CanActivate {
  readonly #reflector: Reflector;
  readonly #refusals: RefusalRecorder;

  constructor(reflector: Reflector, refusals: RefusalRecorder) {
    this.#reflector = reflector;
    this.#refusals = refusals;
  }

  /** @throws QueryError `Forbidden`, also where an operation names no role. */
  async canActivate(context: ExecutionContext): Promise<boolean> {
    const { principal, isPublic } = callerOf(context);
    if (isPublic) return true;
    const wanted = this.#reflector.getAllAndOverride(Roles, [context.getHandler(), context.getClass()]) as
      Role | undefined;
    if (wanted !== undefined && principal !== undefined && hasRole(principal, wanted)) return true;
    const refusal = new QueryError(
      'Forbidden',
      `${principal?.name ?? 'the caller'} ${wanted === undefined ? 'may not do this' : `does not have role ${wanted}`}`,
    );
    if (principal !== undefined) await this.#record(context, { principal, reason: refusal.message });
    throw refusal;
  }

  /** Of an operator action, where its arguments are well-formed; of a dry run nothing is recorded, whatever it comes to. */
  async #record(
    context: ExecutionContext,
    { principal, reason }: { readonly principal: Principal; readonly reason: string },
  ): Promise<void> {
    const named = this.#reflector.get(OperatorAction, context.getHandler()) as NamedAction | undefined;
    if (named === undefined) return;
    const asked = askedArguments(context);
    if (isRehearsal(asked)) return;
    const action = typeof named === 'function' ? named(asked) : named;
    // Of a report they are a page long, and refused is whoever may have none.
    const given = action === 'MakeReport' ? {} : actionArguments(asked);
    checkArguments(given);
    await this.#refusals.record({
      actor: principal.name,
      owner: ownerOf(principal),
      action,
      arguments: given,
      reason,
      givenReason: givenReasonOf(asked['reason']),
    });
  }
}

function askedArguments(context: ExecutionContext): UncheckedArguments {
  if (context.getType<GqlContextType>() === 'graphql') return GqlExecutionContext.create(context).getArgs();
  const { params, query, body } = context.switchToHttp().getRequest<FastifyRequest>();
  return flat({ ...objectOf(params), ...objectOf(query), ...objectOf(body) });
}

/** REST has it in the query, where everything is text. */
function isRehearsal({ dryRun }: UncheckedArguments): boolean {
  return dryRun === true || dryRun === 'true';
}

/** REST says in objects which scope and which policy it means. */
function flat({ scope, policy, ...others }: UncheckedArguments): UncheckedArguments {
  if (scope === undefined) return { ...others, ...objectOf(policy) };
  const { kind, ...names } = objectOf(scope);
  return { ...others, scope: kind, ...names };
}

function objectOf(value: unknown): UncheckedArguments {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

/** Arguments that say how something is asked for, not what; the kind of an intervention is in the action's name. */
const unrecorded: ReadonlySet<string> = new Set(['reason', 'dryRun', 'confirm', 'force', 'kind']);

/** The arguments as the ledger has them of an action that was accepted. */
function actionArguments(given: UncheckedArguments): JsonObject {
  if ('grants' in given) return { token: given['name'], expires: given['expires'] } as JsonObject;
  const { namespace = null, name = null, count: shardCount = null, ...others } = given as JsonObject;
  const isPolicy = typeof namespace === 'string' && typeof name === 'string';
  const named = isPolicy ? { policy: `${namespace}/${name}` } : { namespace, name };
  return Object.fromEntries(
    Object.entries({ ...others, ...named, shardCount }).filter(
      ([key, value]) => !unrecorded.has(key) && value !== null,
    ),
  );
}

interface Caller {
  readonly principal: Principal | undefined;
  readonly isPublic: boolean;
}

function callerOf(context: ExecutionContext): Caller {
  if (context.getType<GqlContextType>() === 'graphql') {
    const { principal } = GqlExecutionContext.create(context).getContext<{
      readonly principal?: Principal;
    }>();
    return { principal, isPublic: false };
  }
  const request = context.switchToHttp().getRequest<FastifyRequest>();
  return { principal: request.principal, isPublic: isPublic(request) };
}
