import { Field, ObjectType } from '@nestjs/graphql';

/** Which policy something belongs to. */
@ObjectType({ description: 'Which policy it is: names are unique within a namespace.' })
export class PolicyName {
  @Field(() => String, { description: 'The namespace that the policy, and what it scales, lives in.' })
  declare namespace: string;

  @Field(() => String, { description: 'What the policy is called, within its namespace.' })
  declare name: string;
}
