import { Field, Int, ObjectType } from '@nestjs/graphql';

/** The Git commit that allowed something. */
@ObjectType({ description: 'A Git commit.' })
export class Commit {
  @Field(() => String, { description: 'The full object name.' })
  declare hash: string;

  @Field(() => String)
  declare author: string;

  @Field(() => String, { description: 'The first line of the message.' })
  declare subject: string;

  @Field(() => String, { description: 'Commit time, RFC 3339.' })
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
