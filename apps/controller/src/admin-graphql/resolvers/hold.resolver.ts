import { Context, Parent, ResolveField, Resolver } from '@nestjs/graphql';
import { AdminActions } from '../../admin/actions/admin-actions.ts';
import { ChangeEffects } from '../../admin/effects/change-effects.ts';
import type { RequestContext } from '../server/graphql-options.ts';
import { PolicyEffect } from '../types/action-effect.type.ts';
import { ApprovalRight, Hold } from '../types/source.type.ts';

/** What a hold would do, and what the caller may do with it. */
@Resolver(() => Hold)
export class HoldResolver {
  readonly #actions: AdminActions;
  readonly #changes: ChangeEffects;

  constructor(actions: AdminActions, changes: ChangeEffects) {
    this.#actions = actions;
    this.#changes = changes;
  }

  @ResolveField(() => [PolicyEffect], {
    description:
      'What an approval would do to each policy at this moment, at most 200, by name; none of a hold of an earlier release.',
  })
  effects(@Parent() { source, record }: Hold): readonly PolicyEffect[] {
    return [...this.#changes.of(source, record.effect)];
  }

  @ResolveField(() => ApprovalRight, {
    description: 'Whether the caller may approve it: by its role, and as one who took no part in it.',
  })
  async viewerMayApprove(
    @Parent() { source, digest }: Hold,
    @Context() { principal }: RequestContext,
  ): Promise<ApprovalRight> {
    const refusal = await this.#actions.whyNotApprove({ principal, source, digest });
    return refusal === null
      ? { allowed: true, code: null, message: null }
      : { allowed: false, code: refusal.code, message: refusal.message };
  }
}
