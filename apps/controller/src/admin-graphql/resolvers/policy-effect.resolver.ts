import { Args, Parent, ResolveField, Resolver } from '@nestjs/graphql';
import { PolicyEffect } from '../types/action-effect.type.ts';

/** Whose policy it is that an action affects. */
@Resolver(() => PolicyEffect)
export class PolicyEffectResolver {
  @ResolveField(() => String, {
    nullable: true,
    description: 'The value of a label of its document, such as `team`; null: it has none of that name.',
  })
  label(
    @Parent() { labels }: PolicyEffect,
    @Args('name', { type: () => String, description: 'The key of the label.' }) name: string,
  ): string | null {
    return Object.hasOwn(labels, name) ? (labels[name] ?? null) : null;
  }
}
