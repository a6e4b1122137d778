import { Field, ObjectType } from '@nestjs/graphql';

/** A commit that is not in force for a policy. */
@ObjectType({
  description: 'A commit that is not in force for a policy, since the part of its tenant has errors.',
})
export class RejectedCommit {
  @Field(() => String, { description: 'Its full object name.' })
  declare commit: string;

  @Field(() => String, { description: 'The tenant; empty: the root, as of a source without tenants.' })
  declare tenant: string;

  @Field(() => String, {
    nullable: true,
    description:
      'How many errors there are, and the first with its place: `2 errors: a.yaml:3:1: …`. Null: the caller may not view all of the source.',
  })
  declare message: string | null;

  @Field(() => String, {
    nullable: true,
    description:
      'Which role would show the errors: needs viewer of all namespaces of source policies. Null: `message` has them.',
  })
  declare notVisible: string | null;
}

/** A hold that the caller may not see whole. */
@ObjectType({
  description:
    'A hold that a change of the policy is part of, or may be, and that the caller may not see whole.',
})
export class NotVisibleHold {
  @Field(() => String, { description: 'The source that it holds, or of which it holds a tenant.' })
  declare source: string;

  @Field(() => String, { description: 'The full object name of what is held.' })
  declare commit: string;

  @Field(() => String, { description: 'Since when it is held, RFC 3339.' })
  declare since: string;

  @Field(() => Boolean, { description: 'It was rejected: nobody is waited for any more.' })
  declare isRejected: boolean;

  @Field(() => String, {
    nullable: true,
    description:
      'What it would do to this policy: `changed: maxReplicas 20 → 5`. Null: it does not name all that it changes, so it may.',
  })
  declare change: string | null;

  @Field(() => String, {
    description: 'Which role would show all of it: needs viewer of all namespaces of source policies.',
  })
  declare message: string;
}
