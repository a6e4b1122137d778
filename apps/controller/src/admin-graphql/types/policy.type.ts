import { Field, Int, ObjectType } from '@nestjs/graphql';
import type { Json } from '#kernel';
import { policyStream } from '#ledger';
import type { ActivePolicy, ControllerMode, PassReport } from '#reconciliation';
import type { PolicyView } from '../../admin/policies/policy-queries.ts';
import type { Evaluator } from '../../admin/policies/policy-reports.ts';
import type { PolicyState as State } from '../../admin/policies/policy-standing.ts';
import { PolicyPicture } from './action-effect.type.ts';
import { Node } from './audit-entry.type.ts';
import { PolicyOrigin } from './commit.type.ts';
import { connectionOf } from './connection.ts';
import { Condition } from './decision.type.ts';
import { enumOf } from './enum-of.ts';
import { Intervention, toIntervention } from './intervention.type.ts';
import { JsonScalar } from './json.scalar.ts';
import { PassDecision, toPassDecision } from './pass-decision.type.ts';
import { ScaleTarget } from './scale-target.type.ts';
import { Hold, toHold } from './source.type.ts';
import { Window } from './window.type.ts';

type OutcomeKind = PassReport['outcome']['kind'];

export const PassOutcomeKind = enumOf<OutcomeKind>(
  'PassOutcome',
  'How a pass ended, named by what happens next.',
  {
    Done: 'Nothing is left to do until the next interval.',
    Waiting: 'Something is not there yet: the next pass looks again.',
    Stalled: 'A person must act: trying again would not help.',
    Failed: 'A call failed: the next pass tries again.',
    Bug: 'An error of ours; the log has it.',
  },
);
export const PolicyState = enumOf<State>('PolicyState', 'What may be said of a policy; several at a time.', {
  AtMaximum: 'It has as many replicas as it may.',
  Short: 'The same, and its metrics ask for more.',
  Held: 'A change of it waits for an approval, or until its source is resumed.',
  Rejected:
    'A change of it was rejected by a person, or by errors in its tenant: what was in force before stays.',
  Suspended: 'An operator, or the fleet brake, has stopped a direction.',
  Overridden: 'An operator has set other bounds or a count.',
  Scheduled: 'A schedule of its document replaces its bounds now.',
  Frozen: 'A freeze of its document stops a direction now.',
  DryRun: 'Its document or an operator says so: it is decided, and nothing is written.',
  Observing: 'The controller runs with mode Observe: it is decided, and nothing is written.',
  Contested: 'Others reverse what is written, so that writes wait.',
  Conflict: 'Another autoscaler or policy wants the same target.',
  StaleSource: 'Its repository cannot be looked at.',
  Fallback: 'Pods were not selected as the policy asks.',
  Failing: 'Its latest pass was Stalled, Failed or Bug.',
  Disabled: 'Its document says `enabled: false`.',
});

const EvaluatorName = enumOf<Evaluator>(
  'PolicyEvaluator',
  'Which replica runs the passes over a policy, and so whether its time is known here.',
  {
    ThisReplica: 'The one that answers.',
    AnotherReplica: 'Another one; none, while its shard is handed over.',
    NobodyYet: 'The one that answers, since whose start no pass over it has ended.',
  },
);

/** What the latest pass over a policy came to. */
@ObjectType({ description: 'What the latest pass over the policy came to.' })
export class PolicyStatus {
  @Field(() => PassOutcomeKind, { description: 'How the pass ended, named by what happens next.' })
  declare outcome: OutcomeKind;

  @Field(() => String, { description: 'A word in CamelCase for why, which programs go by.' })
  declare reason: string;

  @Field(() => String, { description: 'The same in a sentence.' })
  declare message: string;

  @Field(() => String, {
    description:
      'When the pass ended; where `evaluatedBy` is not ThisReplica, when its state was stored last: passes that changed nothing since are known to the replica that ran them alone. RFC 3339.',
  })
  declare time: string;

  @Field(() => EvaluatorName, { description: 'Which replica runs the passes over the policy.' })
  declare evaluatedBy: Evaluator;

  @Field(() => Int, {
    description: 'The shard that the policy is in: `shards` says who holds it, and so evaluates the policy.',
  })
  declare shard: number;

  @Field(() => Int, { nullable: true, description: 'spec.replicas after the pass; null: unreadable.' })
  declare replicas: number | null;

  @Field(() => Int, { nullable: true, description: 'status.replicas after the pass; null: unreadable.' })
  declare statusReplicas: number | null;

  @Field(() => [Condition], {
    description: 'Plimsoll’s own, then upstream’s, with the times of their last transitions, over restarts.',
  })
  declare conditions: Condition[];

  @Field(() => PassDecision, {
    nullable: true,
    description:
      'What the pass decided, from memory: also while the database is away. null: it decided nothing, or another replica decides the policy.',
  })
  declare decision: PassDecision | null;
}

/** A commit that is not in force for a policy. */
@ObjectType({
  description: 'A commit that is not in force for a policy, since the part of its tenant has errors.',
})
export class RejectedCommit {
  @Field(() => String, { description: 'Its full object name.' })
  declare commit: string;

  @Field(() => String, { description: 'The tenant; empty: the root, as of a source without tenants.' })
  declare tenant: string;

  @Field(() => String, {
    nullable: true,
    description:
      'How many errors there are, and the first with its place: `2 errors: a.yaml:3:1: …`. Null: the caller may not view all of the source.',
  })
  declare message: string | null;

  @Field(() => String, {
    nullable: true,
    description:
      'Which role would show the errors: needs viewer of all namespaces of source policies. Null: `message` has them.',
  })
  declare notVisible: string | null;
}

/** A hold that the caller may not see whole. */
@ObjectType({
  description:
    'A hold that a change of the policy is part of, or may be, and that the caller may not see whole.',
})
export class NotVisibleHold {
  @Field(() => String, { description: 'The source that it holds, or of which it holds a tenant.' })
  declare source: string;

  @Field(() => String, { description: 'The full object name of what is held.' })
  declare commit: string;

  @Field(() => String, { description: 'Since when it is held, RFC 3339.' })
  declare since: string;

  @Field(() => Boolean, { description: 'It was rejected: nobody is waited for any more.' })
  declare isRejected: boolean;

  @Field(() => String, {
    nullable: true,
    description:
      'What it would do to this policy: `changed: maxReplicas 20 → 5`. Null: it does not name all that it changes, so it may.',
  })
  declare change: string | null;

  @Field(() => String, {
    description: 'Which role would show all of it: needs viewer of all namespaces of source policies.',
  })
  declare message: string;
}

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

/** Policies that something may be said of. */
@ObjectType({ description: 'How many policies something may be said of.' })
export class StateCount {
  @Field(() => PolicyState, { description: 'What may be said of them.' })
  declare state: State;

  @Field(() => Int, { description: 'How many it may be said of.' })
  declare policies: number;
}

const ControllerModeKind = enumOf<ControllerMode>(
  'ControllerMode',
  'Whether the controller carries out what it decides.',
  {
    Observe: 'It decides and records, and writes nothing to the cluster.',
    Act: 'It carries policies out.',
  },
);

/** The policies that a caller may view, counted. */
@ObjectType({ description: 'The policies in force that the caller may view, counted.' })
export class FleetSummary {
  @Field(() => Int, { description: 'How many are in force, as far as the caller may view them.' })
  declare policies: number;

  @Field(() => ControllerModeKind, { description: 'Of the process that answers, as configured.' })
  declare mode: ControllerMode;

  @Field(() => Int, { description: 'Those whose first pass has not ended.' })
  declare unknown: number;

  @Field(() => [StateCount], { description: 'Every state, those of no policy included.' })
  declare states: StateCount[];

  @Field(() => Int, { description: 'HPAs of ours that no policy in force explains.' })
  declare orphanedHpas: number;

  @Field(() => Int, { description: 'What waits for an approval.' })
  declare holds: number;

  @Field(() => Int, { description: 'Those that act on these policies now.' })
  declare interventions: number;
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
    status: report === undefined ? null : toStatus(report),
  };
}

function toStatus(report: NonNullable<PolicyView['report']>): PolicyStatus {
  const { outcome, time, evaluatedBy, shard, scale, conditions, decided } = report;
  return {
    outcome: outcome.kind,
    reason: outcome.reason,
    message: outcome.message,
    time,
    evaluatedBy,
    shard,
    replicas: scale?.specReplicas ?? null,
    statusReplicas: scale?.statusReplicas ?? null,
    conditions: [...conditions],
    decision: decided === null ? null : toPassDecision(decided),
  };
}
