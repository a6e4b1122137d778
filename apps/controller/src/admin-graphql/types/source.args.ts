import { ArgsType, Field } from '@nestjs/graphql';
import { ReasonedArguments, RehearsableArguments } from './reasoned.args.ts';

/** A source to look at. */
@ArgsType()
export class SyncArguments extends RehearsableArguments {
  @Field(() => String)
  declare source: string;
}

/** A source, and why. */
@ArgsType()
export class SourceArguments extends ReasonedArguments {
  @Field(() => String)
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
  @Field(() => String)
  declare namespace: string;

  @Field(() => String)
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
  @Field(() => String)
  declare namespace: string;

  @Field(() => String)
  declare name: string;

  @Field(() => String, { description: 'RFC 3339 with its zone.' })
  declare time: string;
}
