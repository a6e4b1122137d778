import { Context, Parent, ResolveField, Resolver } from '@nestjs/graphql';
import { BlameQueries } from '../../admin/history/blame.ts';
import type { RequestContext } from '../server/graphql-options.ts';
import { AllowingAction } from '../types/history.type.ts';
import { PolicyVersion } from '../types/revision.type.ts';

/** Who let versions of policies into force, and who let them leave. */
@Resolver(() => PolicyVersion)
export class AllowedVersionResolver {
  readonly #blame: BlameQueries;

  constructor(blame: BlameQueries) {
    this.#blame = blame;
  }

  @ResolveField(() => [AllowingAction], {
    nullable: true,
    description:
      'What operators did without which it would not have come into force: approvals of holds, a rollback, a resumption. Empty: nothing was needed. Null: an earlier release put it into force and did not keep it, it is not known, or the caller may not view all of its source.',
  })
  allowedBy(
    @Parent() { record }: PolicyVersion,
    @Context() { principal }: RequestContext,
  ): Promise<readonly AllowingAction[] | null> {
    return this.#blame.allowedBy(principal, record);
  }

  @ResolveField(() => [AllowingAction], {
    nullable: true,
    description:
      'What operators did without which it would not have left: approvals of holds, a resumption; a rollback is in removedByOperator. Empty: nothing was needed. Null: it did not leave by a revision, an earlier release did not keep it, it is not known, or the caller may not view all of its source.',
  })
  removalAllowedBy(
    @Parent() { record }: PolicyVersion,
    @Context() { principal }: RequestContext,
  ): readonly AllowingAction[] | null {
    return this.#blame.removalAllowedBy(principal, record);
  }
}
