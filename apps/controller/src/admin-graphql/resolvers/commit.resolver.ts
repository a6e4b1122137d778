import { Parent, ResolveField, Resolver } from '@nestjs/graphql';
import { PullRequestLookup } from '../../admin/history/pull-request-lookup.ts';
import { Commit, PullRequest } from '../types/commit.type.ts';

/** Who allowed a commit, wherever one is named. */
@Resolver(() => Commit)
export class CommitResolver {
  readonly #lookup: PullRequestLookup;

  constructor(lookup: PullRequestLookup) {
    this.#lookup = lookup;
  }

  @ResolveField(() => PullRequest, {
    nullable: true,
    description: 'Who allowed it; null: nothing is known (yet).',
  })
  async pullRequest(@Parent() commit: Commit): Promise<PullRequest | null> {
    const found = await this.#lookup.find(commit.hash);
    return found === null ? null : { ...found, approvers: [...found.approvers] };
  }
}
