import { Field, ObjectType } from '@nestjs/graphql';

/** How an intervention ended. */
@ObjectType({ description: 'When and by whom an intervention ended.' })
export class InterventionEnding {
  @Field(() => String, { description: 'From then on it acted no more, RFC 3339.' })
  declare time: string;

  @Field(() => String, {
    description: 'The person or token that ended it; `plimsoll`: it expired.',
  })
  declare actor: string;

  @Field(() => String, { nullable: true, description: 'What the operator wrote; null: nothing.' })
  declare reason: string | null;
}
