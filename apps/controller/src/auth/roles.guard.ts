import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { type GqlContextType, GqlExecutionContext } from '@nestjs/graphql';
import type { FastifyRequest } from 'fastify';
import { QueryError } from '../admin/query-error.ts';
import { Roles } from './roles.decorator.ts';
import { mayAct, type Principal, type Role } from './token-authenticator.ts';

/** Decides roles, and nothing else: who calls is established before, by the request gate. */
@Injectable()
export class RolesGuard implements CanActivate {
  readonly #reflector: Reflector;

  constructor(reflector: Reflector) {
    this.#reflector = reflector;
  }

  /** @throws QueryError `Forbidden`, also where an operation names no role. */
  canActivate(context: ExecutionContext): boolean {
    const { principal, isPublic } = callerOf(context);
    if (isPublic) return true;
    const wanted = this.#reflector.getAllAndOverride(Roles, [context.getHandler(), context.getClass()]) as
      Role | undefined;
    if (wanted !== undefined && principal !== undefined && mayAct(principal, wanted)) return true;
    throw new QueryError('Forbidden', `${principal?.name ?? 'nobody'} is no ${wanted ?? 'caller'}`);
  }
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
