import { Field, Int, ObjectType } from '@nestjs/graphql';
import type { Action, ConditionStatus as Status, FilterReason as Reason } from '#decision';
import type { Json } from '#kernel';
import { AuditEntry, Node } from './audit-entry.type.ts';
import { Commit } from './commit.type.ts';
import { connectionOf } from './connection.ts';
import { enumOf } from './enum-of.ts';
import { JsonScalar } from './json.scalar.ts';
import { PolicyName } from './policy-name.type.ts';

export type DecisionAction = Action;
export const DecisionAction = enumOf<Action>('DecisionAction', 'What a decision does with a count.', {
  ScaleUp: 'More replicas are asked for.',
  ScaleDown: 'Fewer replicas are asked for.',
  None: 'The present count is right.',
  Hold: 'No count could be decided, so the present one stays; `reason` says why.',
});

/** One rule that was consulted. */
@ObjectType({ description: 'One step of the waterfall: the last after is desiredReplicas.' })
export class DecisionStep {
  @Field(() => String, { description: "The rule's id in the decision contract." })
  declare rule: string;

  @Field(() => Int, { nullable: true, description: 'The count before the rule; null: there was none yet.' })
  declare before: number | null;

  @Field(() => Int, {
    nullable: true,
    description: 'The count that the rule leads to; null: none could be decided.',
  })
  declare after: number | null;

  @Field(() => String, {
    description:
      'Why, with the figures in it, as it is recorded: what pods request is in cores of cpu, and in bytes of memory.',
  })
  declare because: string;
}

/** A reason in machine and in human words. */
@ObjectType({ description: 'A reason and its message.' })
export class ReasonedMessage {
  @Field(() => String, { description: 'A word in CamelCase that programs go by.' })
  declare reason: string;

  @Field(() => String, { description: 'A sentence for people, with the figures in it.' })
  declare message: string;
}

/** Which pods were looked at. */
@ObjectType({ description: 'How pods were selected.' })
export class DecisionSelection {
  @Field(() => String, {
    description: 'The strategy that the policy asks for: LabelSelector or OwnerReference.',
  })
  declare requested: string;

  @Field(() => String, {
    description: 'The strategy that was applied; LabelSelector where owners could not be read.',
  })
  declare effective: string;

  @Field(() => ReasonedMessage, {
    nullable: true,
    description: 'Why the filter fell back to all label-matched pods.',
  })
  declare fallback: ReasonedMessage | null;
}

export const FilterReason = enumOf<Reason>('FilterReason', 'Why a pod is not counted.', {
  NoOwner: 'It has no owner references.',
  OwnerNotFound: 'Some branch of its owners leads to an object that does not exist.',
  OtherOwner: 'It belongs to something else than the target.',
  ChainTooDeep: 'Its owners go on for more than ten levels.',
});

/** A pod that selection left out. */
@ObjectType({ description: 'A pod that selection left out, and why.' })
export class FilteredPod {
  @Field(() => String, { description: 'Its name in Kubernetes.' })
  declare pod: string;

  @Field(() => FilterReason, { description: 'Why its owners do not lead to the target.' })
  declare reason: Reason;
}

/** The pods of one metric, by name. */
@ObjectType({ description: 'The pods of one metric, by name.' })
export class MetricPods {
  @Field(() => [String], {
    description: 'All pods that were selected for the metric: each is in exactly one of the next four lists.',
  })
  declare considered: string[];

  @Field(() => [String], { description: 'Those whose samples count.' })
  declare ready: string[];

  @Field(() => [String], {
    description: 'Those that start or are not ready, whose samples are not believed.',
  })
  declare unready: string[];

  @Field(() => [String], { description: 'Those that have no sample.' })
  declare missing: string[];

  @Field(() => [String], { description: 'Those that are being deleted or have failed.' })
  declare ignored: string[];

  @Field(() => [FilteredPod], {
    description: 'Those that the label selector found and the owner filter left out.',
  })
  declare filteredOut: FilteredPod[];
}

/** What one metric proposed. */
@ObjectType({ description: 'What one metric of the policy proposed.' })
export class DecisionMetric {
  @Field(() => String, {
    description: 'Resource, ContainerResource, Pods, Object, External, Prometheus or Recommender.',
  })
  declare type: string;

  @Field(() => String, { description: 'What the metric measures: `cpu`, `http_requests`.' })
  declare name: string;

  @Field(() => JsonScalar, { description: 'The target, as the native policy form writes it.' })
  declare target: Json;

  @Field(() => JsonScalar, {
    description: 'averageUtilization, averageValue, value: those that were computed.',
  })
  declare current: Json;

  @Field(() => Int, {
    nullable: true,
    description:
      'The count that this metric alone asks for, before stabilization and limits; null: it could not be computed.',
  })
  declare proposedReplicas: number | null;

  @Field(() => ReasonedMessage, {
    nullable: true,
    description: 'Why it proposes nothing; null: it could be computed.',
  })
  declare error: ReasonedMessage | null;

  @Field(() => MetricPods, { description: 'Which pods were counted, and which not.' })
  declare pods: MetricPods;
}

export const ConditionStatus = enumOf<Status>(
  'ConditionStatus',
  'Whether a condition is true, in Kubernetes’ words.',
  {
    True: 'What the type of the condition states is so.',
    False: 'What the type of the condition states is not so.',
    Unknown: 'It could not be found out.',
  },
);

/** A condition in Kubernetes' form. */
@ObjectType({ description: 'A condition, in Kubernetes’ form.' })
export class Condition {
  @Field(() => String, { description: 'What is stated: AbleToScale, ScalingActive, Ready, Conflict, …' })
  declare type: string;

  @Field(() => ConditionStatus, { description: 'Whether it is true.' })
  declare status: Status;

  @Field(() => String, { description: 'A word in CamelCase for why, which programs go by.' })
  declare reason: string;

  @Field(() => String, {
    nullable: true,
    description: 'The same in a sentence; null: there is nothing to add.',
  })
  declare message: string | null;

  @Field(() => String, { description: 'Since when it has this status, RFC 3339.' })
  declare lastTransitionTime: string;
}

/** A decision of the ledger. */
@ObjectType({
  description: 'A decision: what, why, on which observation, and which commit allowed it.',
  implements: () => [AuditEntry, Node],
})
export class Decision extends AuditEntry {
  @Field(() => PolicyName, { description: 'The policy that was decided for.' })
  declare policy: PolicyName;

  @Field(() => Int, {
    nullable: true,
    description: 'spec.replicas of the target before the decision; null: the scale could not be read.',
  })
  declare currentReplicas: number | null;

  @Field(() => Int, {
    nullable: true,
    description: 'The count that was decided; null: none could be, and the present one stays.',
  })
  declare desiredReplicas: number | null;

  @Field(() => DecisionAction, { description: 'What follows for the count.' })
  declare action: DecisionAction;

  @Field(() => String, { description: 'Why, in one sentence; `steps` has the way there.' })
  declare reason: string;

  @Field(() => DecisionSelection, { description: 'How pods were selected for the metrics.' })
  declare selection: DecisionSelection;

  @Field(() => [DecisionMetric], {
    description: 'What each metric of the policy proposed, in the policy’s order.',
  })
  declare metrics: DecisionMetric[];

  @Field(() => [DecisionStep], {
    description:
      'The complete waterfall: every rule that was consulted, in order, with the count before and after it.',
  })
  declare steps: DecisionStep[];

  @Field(() => [Condition], { description: 'Upstream’s conditions of the policy after this decision.' })
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
