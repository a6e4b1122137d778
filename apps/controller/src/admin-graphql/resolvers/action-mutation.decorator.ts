import { applyDecorators, UseFilters } from '@nestjs/common';
import { Mutation, type ReturnTypeFunc } from '@nestjs/graphql';
import type { Role } from '../../auth/callers/principal.ts';
import { Roles } from '../../auth/callers/roles.decorator.ts';
import { ActionRefusalFilter } from './action-refusal.filter.ts';

/**
 * A mutation that needs a role, which its description in the schema names. Its type is an `actionResult`: what refuses
 * the action, the role included, is answered as an `ActionRefusal`.
 */
export function ActionMutation(role: Role, returns: ReturnTypeFunc, description: string): MethodDecorator {
  return applyDecorators(
    Roles(role),
    UseFilters(ActionRefusalFilter),
    Mutation(returns, { description: `${description} Role ${role}.` }),
  );
}
