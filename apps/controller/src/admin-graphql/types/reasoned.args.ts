import { ArgsType, Field } from '@nestjs/graphql';

/** How an action is asked for. */
@ArgsType()
export class RehearsableArguments {
  @Field(() => Boolean, {
    nullable: true,
    description: 'Only says what the action would do: an `ActionPreview`. Nothing is done or recorded.',
  })
  declare dryRun?: boolean | null;

  @Field(() => String, {
    nullable: true,
    description: 'The digest of the effect that was looked at: another effect is refused.',
  })
  declare confirm?: string | null;
}

/** The same of an action that wants a reason. */
@ArgsType()
export class ReasonedArguments extends RehearsableArguments {
  @Field(() => String, {
    nullable: true,
    description:
      'A sentence for the readers of the ledger, at most 1,000 characters. Mandatory, but for a dry run.',
  })
  declare reason?: string | null;
}
