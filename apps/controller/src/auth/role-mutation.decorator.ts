import { applyDecorators } from '@nestjs/common';
import { Mutation, type ReturnTypeFunc } from '@nestjs/graphql';
import { Roles } from './roles.decorator.ts';
import type { Role } from './token-authenticator.ts';

/** A mutation that needs a role, which its description in the schema names. */
export function RoleMutation(role: Role, returns: ReturnTypeFunc, description: string): MethodDecorator {
  return applyDecorators(Roles(role), Mutation(returns, { description: `${description} Role ${role}.` }));
}
