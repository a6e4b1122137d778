import { Field, Int, ObjectType } from '@nestjs/graphql';

/** Who allowed a commit. */
@ObjectType({ description: 'The pull request that brought a commit: who wrote it, and who allowed it.' })
export class PullRequest {
  @Field(() => Int, { nullable: true, description: 'null: it came without one.' })
  declare number: number | null;

  @Field(() => String, { nullable: true, description: 'A login at the forge; null where it is not known.' })
  declare author: string | null;

  @Field(() => [String], { description: 'Reviewers whose last word before the merge was yes.' })
  declare approvers: string[];

  @Field(() => Boolean, {
    description:
      'Whether the forge says so; otherwise it is taken from the commit message, which its author wrote.',
  })
  declare verified: boolean;
}

/** The Git commit that allowed something; its pull request is a question of its own. */
@ObjectType({ description: 'A Git commit.' })
export class Commit {
  @Field(() => String, { description: 'The full object name, 40 or 64 hex digits.' })
  declare hash: string;

  @Field(() => String, { description: 'Who wrote it, as Git has the name.' })
  declare author: string;

  @Field(() => String, { description: 'The first line of the message.' })
  declare subject: string;

  @Field(() => String, { description: 'When it was committed, RFC 3339.' })
  declare time: string;
}

/** Where a policy in force was read. */
@ObjectType({ description: 'Where a policy in force comes from.' })
export class PolicyOrigin {
  @Field(() => String, { description: "The source's name in the configuration." })
  declare source: string;

  @Field(() => Commit, { description: 'The commit whose activation brought the policy into force as it is.' })
  declare commit: Commit;

  @Field(() => String, { description: 'The path in the repository.' })
  declare file: string;

  @Field(() => Int, { description: 'The line of the document, from 1.' })
  declare line: number;
}
