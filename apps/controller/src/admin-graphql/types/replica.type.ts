import { ArgsType, Field, ID, Int, ObjectType } from '@nestjs/graphql';
import type { KnownFrom } from '../../coordination/shards/replica-directory.ts';
import { actionResult } from './action-result.ts';
import { enumOf } from './enum-of.ts';
import { ReasonedArguments } from './reasoned.args.ts';

const url = 'Where the others reach it; null: it does not say.';
const knownFrom = 'Whose word who holds what is.';
const asOf = 'When that was so, RFC 3339.';

const HoldersKnownFrom = enumOf<KnownFrom>('HoldersKnownFrom', 'Whose word who holds what is.', {
  Database: 'It answers, and is right.',
  Leases: 'The database does not answer: what the Leases said when they were last looked at.',
  Process: 'The database does not answer, and there are no Leases: what the process that answers holds.',
});

@ObjectType({ description: 'A process that carries policies out.' })
export class Replica {
  @Field(() => ID, { description: 'Made anew whenever a process starts.' })
  declare readonly id: string;

  @Field(() => String, { nullable: true, description: url })
  declare readonly url: string | null;

  @Field(() => Boolean, { description: 'Whether it syncs the sources and takes what people ask for.' })
  declare readonly isLeader: boolean;

  @Field(() => Boolean, { description: 'Whether it is the one that answers.' })
  declare readonly isThis: boolean;

  @Field(() => String, {
    nullable: true,
    description:
      'Why it carries out all policies by itself; null: it shares them, or it is not the one that answers.',
  })
  declare readonly aloneBecause: string | null;

  @Field(() => [Int], { description: 'The shards that it holds.' })
  declare readonly shards: readonly number[];

  @Field(() => Boolean, {
    nullable: true,
    description:
      'Whether it takes its share of the shards: not where it could not begin, or keep, its own, nor while its database does not answer it; null: it holds something, and is not known to live.',
  })
  declare readonly takesShards: boolean | null;

  @Field(() => String, { nullable: true, description: 'Its release; null: it does not say.' })
  declare readonly version: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'Since when it takes part, RFC 3339, by its own clock; null: it does not say.',
  })
  declare readonly since: string | null;

  @Field(() => String, {
    nullable: true,
    description:
      'When it said last that it lives, RFC 3339, as the one that answers saw it; null: it does not say.',
  })
  declare readonly seenAt: string | null;

  @Field(() => HoldersKnownFrom, { description: knownFrom })
  declare readonly knownFrom: KnownFrom;

  @Field(() => String, { description: asOf })
  declare readonly asOf: string;
}

@ObjectType({ description: 'A shard of the policies, and who holds it.' })
export class Shard {
  @Field(() => Int, { description: 'Which one, counted from 0.' })
  declare readonly shard: number;

  @Field(() => String, { nullable: true, description: 'Id of a replica; null: none holds it now.' })
  declare readonly holder: string | null;

  @Field(() => String, { nullable: true, description: url })
  declare readonly url: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'RFC 3339; null: none holds it, or it is not known.',
  })
  declare readonly since: string | null;

  @Field(() => String, {
    nullable: true,
    description:
      'How often it was taken over; grows with every new holder. Null: only the database knows it.',
  })
  declare readonly epoch: string | null;

  @Field(() => HoldersKnownFrom, { description: knownFrom })
  declare readonly knownFrom: KnownFrom;

  @Field(() => String, { description: asOf })
  declare readonly asOf: string;
}

@ArgsType()
export class ShardCountArguments extends ReasonedArguments {
  @Field(() => Int, { description: 'How many there are to be, 1 to 64.' })
  declare count: number;
}

/** Over how many shards the policies are spread. */
@ObjectType({ description: 'Over how many shards the policies are spread.' })
export class ShardCounts {
  @Field(() => Int, { description: 'How many there are now.' })
  declare readonly count: number;

  @Field(() => Int, { description: 'How many there were.' })
  declare readonly before: number;
}

export const ShardCountAction = actionResult(ShardCounts, 'What a change of the number of shards came to.');
