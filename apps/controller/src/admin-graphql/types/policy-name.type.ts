import { Field, ObjectType } from '@nestjs/graphql';

/** Which policy something belongs to. */
@ObjectType({ description: 'The name of a policy.' })
export class PolicyName {
  @Field(() => String)
  declare namespace: string;

  @Field(() => String)
  declare name: string;
}
