import { Field, Int, ObjectType } from '@nestjs/graphql';
import type { Json } from '#kernel';
import { policyStream } from '#ledger';
import type { ActivePolicy } from '#reconciliation';
import type { PolicyView } from '../../admin/policies/policy-queries.ts';
import type { PolicyState as State } from '../../admin/policies/policy-standing.ts';
import { PolicyPicture } from './action-effect.type.ts';
import { Node } from './audit-entry.type.ts';
import { PolicyOrigin } from './commit.type.ts';
import { connectionOf } from './connection.ts';
import { Intervention, toIntervention } from './intervention.type.ts';
import { JsonScalar } from './json.scalar.ts';
import { PolicyState } from './policy-state.type.ts';
import { PolicyStatus, toPolicyStatus } from './policy-status.type.ts';
import { ScaleTarget } from './scale-target.type.ts';
import { Hold, toHold } from './source.type.ts';
import { Window } from './window.type.ts';
import { NotVisibleHold, RejectedCommit } from './withheld-change.type.ts';

/** A policy in force. */
@ObjectType({
  description: 'A policy in force, with every default filled in.',
  implements: () => [Node],
})
export class Policy extends Node {
  declare __typename: string;

  @Field(() => [PolicyState], { description: 'What may be said of it now.' })
  declare states: State[];

  @Field(() => [Intervention], { description: 'Those that act on it now, by their beginning.' })
  declare interventions: readonly Intervention[];

  @Field(() => PolicyPicture, {
    description: 'How it is carried out now. Its own bounds, as its document has them, are beside it.',
  })
  declare inForce: PolicyPicture;

  @Field(() => [Window], { description: 'Its schedules and freezes that are in force now.' })
  declare windows: readonly Window[];

  @Field(() => [Hold], { description: 'What would change it, and waits for an approval or was rejected.' })
  declare holds: readonly Hold[];

  @Field(() => [NotVisibleHold], {
    description: 'The same, of which the caller may see no more than what they do to this policy.',
  })
  declare notVisibleHolds: readonly NotVisibleHold[];

  @Field(() => RejectedCommit, {
    nullable: true,
    description: 'Null: the commit that was looked at last has no errors in its tenant.',
  })
  declare rejectedCommit: RejectedCommit | null;

  @Field(() => String, {
    nullable: true,
    description: 'Since when every look at its source has failed, RFC 3339; null: the last look worked.',
  })
  declare staleSince: string | null;

  @Field(() => String, { description: 'The namespace that the policy, and what it scales, lives in.' })
  declare namespace: string;

  @Field(() => String, { description: 'What the policy is called, within its namespace.' })
  declare name: string;

  @Field(() => String, {
    description:
      'The kind of the document that it was written as: AutoscalingPolicy, HorizontalPodAutoscaler or WatermarkPodAutoscaler.',
  })
  declare kind: string;

  @Field(() => ScaleTarget, { description: 'What it scales.' })
  declare target: ScaleTarget;

  @Field(() => String, {
    description:
      'Who writes the count. Scale: Plimsoll, by the scale subresource. HorizontalPodAutoscaler: the native controller, by an HPA that Plimsoll renders.',
  })
  declare actuation: string;

  @Field(() => Boolean, {
    description:
      'false: nothing is decided, and the count stays, or is what the document says of a disabled policy.',
  })
  declare enabled: boolean;

  @Field(() => Boolean, {
    description: 'true: its document wants it decided and recorded, and nothing written.',
  })
  declare dryRun: boolean;

  @Field(() => Int, { description: 'The fewest replicas that its document lets it scale to.' })
  declare minReplicas: number;

  @Field(() => Int, { description: 'The most replicas that its document lets it scale to.' })
  declare maxReplicas: number;

  @Field(() => String, {
    description:
      'How pods are told apart that match the labels. LabelSelector: all count. OwnerReference: those whose owners lead to the target.',
  })
  declare selectionStrategy: string;

  @Field(() => Int, { description: 'How often it is decided for.' })
  declare intervalSeconds: number;

  @Field(() => JsonScalar, { description: 'The whole document, with what PolicyDefaults fill in.' })
  declare document: Json;

  declare labels: Readonly<Record<string, string>>;

  /** What its effective values are traced from. */
  declare active: ActivePolicy;

  @Field(() => PolicyOrigin, { description: 'Which commit put it in force, and where it stands there.' })
  declare origin: PolicyOrigin;

  @Field(() => PolicyStatus, { nullable: true, description: 'null until its first pass ends.' })
  declare status: PolicyStatus | null;
}

export const PolicyConnection = connectionOf(Policy, 'Policy');

/** The GraphQL form of a policy in force. */
export function toPolicy({ active, report, standing }: PolicyView): Policy {
  const { policy, document, origin } = active;
  return {
    __typename: 'Policy',
    id: policyStream(policy),
    states: [...standing.states],
    inForce: standing.inForce,
    windows: standing.windows,
    interventions: standing.interventions.map(toIntervention),
    holds: standing.holds.map(({ source, hold }) => toHold(source, hold)),
    notVisibleHolds: standing.notVisibleHolds,
    staleSince: standing.staleSince,
    rejectedCommit: standing.rejectedCommit,
    namespace: policy.namespace,
    name: policy.name,
    kind: policy.kind,
    target: policy.target,
    actuation: policy.actuation,
    enabled: policy.enabled,
    dryRun: policy.dryRun,
    minReplicas: policy.minReplicas,
    maxReplicas: policy.maxReplicas,
    selectionStrategy: policy.selectionStrategy,
    intervalSeconds: policy.intervalSeconds,
    document,
    labels: policy.labels,
    active,
    origin,
    status: report === undefined ? null : toPolicyStatus(report),
  };
}
