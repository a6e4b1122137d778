import { Context, Parent, ResolveField, Resolver } from '@nestjs/graphql';
import type { Json } from '#kernel';
import type { RequestContext } from './graphql-options.ts';
import { Decision } from './types/decision.type.ts';
import { JsonScalar } from './types/json.scalar.ts';

/** The part of a decision that may be megabytes. */
@Resolver(() => Decision)
export class DecisionResolver {
  @ResolveField(() => JsonScalar)
  input(@Parent() { input }: Decision, @Context() { budget }: RequestContext): Json {
    return budget.spend(input);
  }
}
