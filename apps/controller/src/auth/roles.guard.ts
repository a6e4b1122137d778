import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { type GqlContextType, GqlExecutionContext } from '@nestjs/graphql';
import type { FastifyRequest } from 'fastify';
import type { JsonObject } from '#kernel';
import { checkArguments } from '../admin/check-arguments.ts';
import { QueryError } from '../admin/query-error.ts';
import { type OperatorActionName, RefusalRecorder } from '../admin/refusal-recorder.ts';
import { OperatorAction } from './operator-action.decorator.ts';
import { hasRole, type Principal, type Role } from './principal.ts';
import { Roles } from './roles.decorator.ts';

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
      `${principal?.name ?? 'the caller'} is no ${wanted ?? 'caller'}`,
    );
    if (principal !== undefined) await this.#record(context, { principal, reason: refusal.message });
    throw refusal;
  }

  /** Of an operator action, where its arguments are well-formed. */
  async #record(
    context: ExecutionContext,
    { principal, reason }: { readonly principal: Principal; readonly reason: string },
  ): Promise<void> {
    const action = this.#reflector.get(OperatorAction, context.getHandler()) as
      OperatorActionName | undefined;
    if (action === undefined) return;
    const given = actionArguments(GqlExecutionContext.create(context).getArgs());
    checkArguments(given);
    await this.#refusals.record({ actor: principal.name, action, arguments: given, reason });
  }
}

/** The arguments as the ledger has them of an action that was accepted. */
function actionArguments(given: Readonly<Record<string, string | number | null>>): JsonObject {
  const { namespace = null, name = null, ...others } = given;
  const isPolicy = namespace !== null && name !== null;
  const named = isPolicy ? { policy: `${namespace}/${name}` } : { namespace, name };
  return Object.fromEntries(
    Object.entries({ ...others, ...named }).filter(([key, value]) => key !== 'reason' && value !== null),
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
  return { principal: request.principal, isPublic: request.routeOptions.config.isPublic === true };
}
