import { Field, Int, ObjectType, registerEnumType } from '@nestjs/graphql';
import type { ConditionStatus as Status, FilterReason as Reason } from '#decision';
import type { Json } from '#kernel';
import { AuditEntry, Node } from './audit-entry.type.ts';
import { Commit } from './commit.type.ts';
import { connectionOf } from './connection.ts';
import { enumOf } from './enum-of.ts';
import { JsonScalar } from './json.scalar.ts';
import { PolicyName } from './policy-name.type.ts';

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

export const FilterReason = enumOf<Reason>(
  'FilterReason',
  ['NoOwner', 'OwnerNotFound', 'OtherOwner', 'ChainTooDeep'],
  'Why a pod is not counted.',
);

/** A pod that selection left out. */
@ObjectType({ description: 'A pod that selection left out, and why.' })
export class FilteredPod {
  @Field(() => String)
  declare pod: string;

  @Field(() => FilterReason)
  declare reason: Reason;
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

export const ConditionStatus = enumOf<Status>(
  'ConditionStatus',
  ['True', 'False', 'Unknown'],
  'Whether a condition holds.',
);

/** A condition in Kubernetes' form. */
@ObjectType({ description: 'A condition, in Kubernetes’ form.' })
export class Condition {
  @Field(() => String)
  declare type: string;

  @Field(() => ConditionStatus)
  declare status: Status;

  @Field(() => String)
  declare reason: string;

  @Field(() => String, { nullable: true })
  declare message: string | null;

  @Field(() => String)
  declare lastTransitionTime: string;
}

/** A decision of the ledger. */
@ObjectType({
  description: 'A decision: what, why, on which observation, and which commit allowed it.',
  implements: () => [AuditEntry, Node],
})
export class Decision extends AuditEntry {
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

  @Field(() => String, {
    description: 'The version of the rules that decided; another one may decide otherwise.',
  })
  declare engineVersion: string;

  @Field(() => JsonScalar, {
    description:
      'The complete input (policy, settings, observation, memory): `plimsoll replay` recomputes it.',
  })
  declare input: Json;
}

export const DecisionConnection = connectionOf(Decision, 'Decision');
