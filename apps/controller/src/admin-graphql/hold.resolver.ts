import { Context, Parent, ResolveField, Resolver } from '@nestjs/graphql';
import { AdminActions } from '../admin/admin-actions.ts';
import type { RequestContext } from './graphql-options.ts';
import { ApprovalRight, Hold } from './types/source.type.ts';

/** What the caller may do with a hold. */
@Resolver(() => Hold)
export class HoldResolver {
  readonly #actions: AdminActions;

  constructor(actions: AdminActions) {
    this.#actions = actions;
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
