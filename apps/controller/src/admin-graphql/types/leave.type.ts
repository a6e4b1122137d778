import { ArgsType, Field, Int, ObjectType } from '@nestjs/graphql';
import type { Json } from '#kernel';
import type { LeaveOutcome, LeaveTarget as Target } from '#reconciliation';
import { actionResult } from './action-result.ts';
import { connectionOf, PageArguments } from './connection.ts';
import { enumOf } from './enum-of.ts';
import { JsonScalar } from './json.scalar.ts';
import { PolicyName } from './policy-name.type.ts';
import { ReasonedArguments } from './reasoned.args.ts';

export const LeaveTarget = enumOf<Target>(
  'LeaveTarget',
  'What carries targets on when Plimsoll leaves them.',
  {
    HorizontalPodAutoscaler: 'A plain native one per policy, without anything of ours.',
    None: 'Nothing: counts stay as they are, and nobody scales them.',
  },
);

export const LeaveResult = enumOf<LeaveOutcome['kind']>(
  'LeaveResult',
  'How far the release of one policy is.',
  {
    Done: 'It is left to what was asked for.',
    Blocked: 'It is left without what was asked for; the message says why.',
    Waiting: 'It is not left yet: the same request, made again, goes on with it.',
  },
);

/** A policy that leaves, or has left. */
@ObjectType({
  description: 'A policy that leaves with all others, or has left, and the plain HPA that it is left to.',
})
export class LeavingPolicy {
  @Field(() => PolicyName, { description: 'The policy that is left.' })
  declare policy: PolicyName;

  @Field(() => String, { description: 'The repository that it comes from, as the configuration names it.' })
  declare source: string;

  @Field(() => Boolean, { description: 'false: it has been released already.' })
  declare isInForce: boolean;

  @Field(() => JsonScalar, {
    nullable: true,
    description:
      'The HPA, to apply; null: none is wanted, another HPA scales the target, or none does what the policy says.',
  })
  declare manifest: Json;

  @Field(() => [String], {
    description: 'What the HPA does not say, or why there is none, in sentences.',
  })
  declare gaps: readonly string[];
}

export const LeavingPolicyConnection = connectionOf(LeavingPolicy, 'LeavingPolicy');

/** What became of one policy. */
@ObjectType({ description: 'What became of one policy that was left.' })
export class LeftPolicy {
  @Field(() => PolicyName, { description: 'The policy that was left.' })
  declare policy: PolicyName;

  @Field(() => LeaveResult, { description: 'How far that is.' })
  declare result: LeaveOutcome['kind'];

  @Field(() => String, { description: 'What was done, or why not, in a sentence.' })
  declare message: string;
}

/** What leaving came to. */
@ObjectType({ description: 'What a request to leave came to.' })
export class LeaveReport {
  @Field(() => [LeftPolicy], { description: 'What became of each, by name.' })
  declare policies: readonly LeftPolicy[];

  @Field(() => Int, { description: 'How many the same request, made again, goes on with.' })
  declare waiting: number;

  @Field(() => Int, { description: 'Interventions end once nothing waits.' })
  declare endedInterventions: number;
}

export const LeaveAction = actionResult(LeaveReport, 'The answer of a release of all policies.');

/** What everything is left to. */
@ArgsType()
export class LeavingArguments extends PageArguments {
  @Field(() => LeaveTarget, { description: 'What is to carry the targets on.' })
  declare to: Target;
}

/** Everything is left. */
@ArgsType()
export class LeaveArguments extends ReasonedArguments {
  @Field(() => LeaveTarget, { description: 'What is to carry the targets on.' })
  declare to: Target;
}
