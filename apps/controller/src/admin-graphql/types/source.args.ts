import { ArgsType, Field } from '@nestjs/graphql';
import { ReasonedArguments, RehearsableArguments } from './reasoned.args.ts';

/** A source to look at. */
@ArgsType()
export class SyncArguments extends RehearsableArguments {
  @Field(() => String, { description: 'The repository to look at, as the configuration names it.' })
  declare source: string;
}

/** A source, and why. */
@ArgsType()
export class SourceArguments extends ReasonedArguments {
  @Field(() => String, { description: 'The repository that it is about, as the configuration names it.' })
  declare source: string;
}

/** One hold of a source. */
@ArgsType()
export class HoldArguments extends SourceArguments {
  @Field(() => String, { description: 'Of the hold: what is approved or rejected is exactly that.' })
  declare digest: string;
}

/** One policy of a source. */
@ArgsType()
export class ReleaseArguments extends SourceArguments {
  @Field(() => String, { description: 'The namespace that the policy, and what it scales, lives in.' })
  declare namespace: string;

  @Field(() => String, { description: 'What the policy is called, within its namespace.' })
  declare name: string;
}

/** One revision of a source. */
@ArgsType()
export class RollBackArguments extends SourceArguments {
  @Field(() => String, { description: 'The full hash of a revision that was active as a whole.' })
  declare commit: string;
}

/** Which policy, and when. */
@ArgsType()
export class PolicyAtArguments {
  @Field(() => String, { description: 'The namespace that the policy, and what it scales, lives in.' })
  declare namespace: string;

  @Field(() => String, { description: 'What the policy is called, within its namespace.' })
  declare name: string;

  @Field(() => String, { description: 'The moment that is asked about, RFC 3339 with its zone.' })
  declare time: string;
}
