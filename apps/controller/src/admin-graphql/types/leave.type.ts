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
  ['HorizontalPodAutoscaler', 'None'],
  'What carries targets on when Plimsoll leaves them. HorizontalPodAutoscaler: a plain one per policy. None: counts stay, and nothing scales them.',
);

export const LeaveResult = enumOf<LeaveOutcome['kind']>(
  'LeaveResult',
  ['Done', 'Blocked', 'Waiting'],
  'Blocked: it is left without what was asked for. Waiting: the same request goes on with it.',
);

/** A policy that leaves, or has left. */
@ObjectType({
  description: 'A policy that leaves with all others, or has left, and the plain HPA that it is left to.',
})
export class LeavingPolicy {
  @Field(() => PolicyName)
  declare policy: PolicyName;

  @Field(() => String)
  declare source: string;

  @Field(() => Boolean)
  declare isInForce: boolean;

  @Field(() => JsonScalar, {
    nullable: true,
    description: 'The HPA, to apply; null: none is wanted, or none does what the policy says.',
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
  @Field(() => PolicyName)
  declare policy: PolicyName;

  @Field(() => LeaveResult)
  declare result: LeaveOutcome['kind'];

  @Field(() => String, { description: 'In a sentence.' })
  declare message: string;
}

/** What leaving came to. */
@ObjectType({ description: 'What a request to leave came to.' })
export class LeaveReport {
  @Field(() => [LeftPolicy])
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
  @Field(() => LeaveTarget)
  declare to: Target;
}

/** Everything is left. */
@ArgsType()
export class LeaveArguments extends ReasonedArguments {
  @Field(() => LeaveTarget)
  declare to: Target;
}
