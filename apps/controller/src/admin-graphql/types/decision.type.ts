import { Field, ID, Int, ObjectType, registerEnumType } from '@nestjs/graphql';
import type { Json } from '#kernel';
import { Commit } from './commit.type.ts';
import { connectionOf } from './connection.ts';
import { JsonScalar } from './json.scalar.ts';

/** What a decision does; the words of the decision contract. */
export const DecisionAction = {
  ScaleUp: 'ScaleUp',
  ScaleDown: 'ScaleDown',
  None: 'None',
  Hold: 'Hold',
} as const;
export type DecisionAction = keyof typeof DecisionAction;
registerEnumType(DecisionAction, {
  name: 'DecisionAction',
  description: 'None: decided for the present count. Hold: could not decide.',
});

/** Which policy something belongs to. */
@ObjectType({ description: 'The name of a policy.' })
export class PolicyName {
  @Field(() => String)
  declare namespace: string;

  @Field(() => String)
  declare name: string;
}

/** One rule that was consulted. */
@ObjectType({ description: 'One step of the waterfall: the last after is desiredReplicas.' })
export class DecisionStep {
  @Field(() => String, { description: "The rule's id in the decision contract." })
  declare rule: string;

  @Field(() => Int, { nullable: true })
  declare before: number | null;

  @Field(() => Int, { nullable: true })
  declare after: number | null;

  @Field(() => String, { description: 'Why, with the figures in it.' })
  declare because: string;
}

/** A reason in machine and in human words. */
@ObjectType({ description: 'A reason and its message.' })
export class ReasonedMessage {
  @Field(() => String)
  declare reason: string;

  @Field(() => String)
  declare message: string;
}

/** Which pods were looked at. */
@ObjectType({ description: 'How pods were selected.' })
export class DecisionSelection {
  @Field(() => String)
  declare requested: string;

  @Field(() => String)
  declare effective: string;

  @Field(() => ReasonedMessage, {
    nullable: true,
    description: 'Why the filter fell back to all label-matched pods.',
  })
  declare fallback: ReasonedMessage | null;
}

/** A pod that selection left out. */
@ObjectType({ description: 'A pod that selection left out, and why.' })
export class FilteredPod {
  @Field(() => String)
  declare pod: string;

  @Field(() => String, { description: 'NoOwner, OwnerNotFound, OtherOwner or ChainTooDeep.' })
  declare reason: string;
}

/** The pods of one metric, by name. */
@ObjectType({ description: 'The pods of one metric, by name.' })
export class MetricPods {
  @Field(() => [String])
  declare considered: string[];

  @Field(() => [String])
  declare ready: string[];

  @Field(() => [String])
  declare unready: string[];

  @Field(() => [String])
  declare missing: string[];

  @Field(() => [String])
  declare ignored: string[];

  @Field(() => [FilteredPod])
  declare filteredOut: FilteredPod[];
}

/** What one metric proposed. */
@ObjectType({ description: 'What one metric of the policy proposed.' })
export class DecisionMetric {
  @Field(() => String)
  declare type: string;

  @Field(() => String)
  declare name: string;

  @Field(() => JsonScalar, { description: 'The target, as the native policy form writes it.' })
  declare target: Json;

  @Field(() => JsonScalar, {
    description: 'averageUtilization, averageValue, value: those that were computed.',
  })
  declare current: Json;

  @Field(() => Int, { nullable: true })
  declare proposedReplicas: number | null;

  @Field(() => ReasonedMessage, { nullable: true })
  declare error: ReasonedMessage | null;

  @Field(() => MetricPods)
  declare pods: MetricPods;
}

/** A condition in Kubernetes' form. */
@ObjectType({ description: 'A condition, in Kubernetes’ form.' })
export class Condition {
  @Field(() => String)
  declare type: string;

  @Field(() => String)
  declare status: string;

  @Field(() => String)
  declare reason: string;

  @Field(() => String, { nullable: true })
  declare message: string | null;

  @Field(() => String)
  declare lastTransitionTime: string;
}

/** A decision of the ledger. */
@ObjectType({ description: 'A decision: what, why, on which observation, and which commit allowed it.' })
export class Decision {
  @Field(() => ID)
  declare id: string;

  @Field(() => String, { description: 'RFC 3339.' })
  declare time: string;

  @Field(() => PolicyName)
  declare policy: PolicyName;

  @Field(() => Int, { nullable: true, description: 'null: the scale could not be read.' })
  declare currentReplicas: number | null;

  @Field(() => Int, { nullable: true })
  declare desiredReplicas: number | null;

  @Field(() => DecisionAction)
  declare action: DecisionAction;

  @Field(() => String)
  declare reason: string;

  @Field(() => DecisionSelection)
  declare selection: DecisionSelection;

  @Field(() => [DecisionMetric])
  declare metrics: DecisionMetric[];

  @Field(() => [DecisionStep], { description: 'The complete waterfall.' })
  declare steps: DecisionStep[];

  @Field(() => [Condition])
  declare conditions: Condition[];

  @Field(() => [String], {
    description:
      'How the native controller acts otherwise than the decision, where the policy is rendered into an HPA.',
  })
  declare departures: string[];

  @Field(() => Commit, { nullable: true, description: 'The commit that put the policy in force.' })
  declare commit: Commit | null;

  @Field(() => JsonScalar, {
    description:
      'The complete input (policy, settings, observation, memory): `plimsoll replay` recomputes it.',
  })
  declare input: Json;
}

export const DecisionConnection = connectionOf(Decision, 'Decision');
