import { Field, Int, ObjectType } from '@nestjs/graphql';
import type { Json } from '#kernel';
import { policyStream } from '#ledger';
import type { ActivePolicy, PassReport } from '#reconciliation';
import type { PolicyView } from '../../admin/admin-queries.ts';
import { type PolicyState as State, policyStates } from '../../admin/policy-standing.ts';
import { Node } from './audit-entry.type.ts';
import { PolicyOrigin } from './commit.type.ts';
import { connectionOf } from './connection.ts';
import { Condition } from './decision.type.ts';
import { enumOf } from './enum-of.ts';
import { Intervention, toIntervention } from './intervention.type.ts';
import { JsonScalar } from './json.scalar.ts';
import { Hold, toHold } from './source.type.ts';

type OutcomeKind = PassReport['outcome']['kind'];

export const PassOutcomeKind = enumOf<OutcomeKind>(
  'PassOutcome',
  ['Done', 'Waiting', 'Stalled', 'Failed', 'Bug'],
  'How a pass ended, named by what happens next. Waiting: the next pass looks again. Stalled: a person must act. Failed: the next pass tries again.',
);
export const PolicyState = enumOf<State>(
  'PolicyState',
  policyStates,
  'What may be said of a policy; several at a time. Short: it is at its maximum, and its metrics ask for more. Held: a change of it waits for an approval. StaleSource: its repository cannot be looked at. Fallback: pods were not selected as the policy asks. Failing: its latest pass was Stalled, Failed or Bug.',
);

/** The object that a policy scales. */
@ObjectType({ description: 'The object that a policy scales; it is in the policy’s namespace.' })
export class ScaleTarget {
  @Field(() => String)
  declare apiVersion: string;

  @Field(() => String)
  declare kind: string;

  @Field(() => String)
  declare name: string;
}

/** What the latest pass over a policy came to. */
@ObjectType({ description: 'What the latest pass over the policy came to.' })
export class PolicyStatus {
  @Field(() => PassOutcomeKind)
  declare outcome: OutcomeKind;

  @Field(() => String)
  declare reason: string;

  @Field(() => String)
  declare message: string;

  @Field(() => String, {
    description:
      'When the pass ended; of a policy that another replica decides, when its state was stored. RFC 3339.',
  })
  declare time: string;

  @Field(() => Int, { nullable: true, description: 'spec.replicas after the pass; null: unreadable.' })
  declare replicas: number | null;

  @Field(() => Int, { nullable: true, description: 'status.replicas after the pass; null: unreadable.' })
  declare statusReplicas: number | null;

  @Field(() => [Condition], {
    description: 'Plimsoll’s own, then upstream’s, with the times of their last transitions, over restarts.',
  })
  declare conditions: Condition[];
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

  @Field(() => [Hold], { description: 'What waits for an approval and would change it.' })
  declare holds: readonly Hold[];

  @Field(() => String, {
    nullable: true,
    description: 'Since when every look at its source has failed, RFC 3339; null: the last look worked.',
  })
  declare staleSince: string | null;

  @Field(() => String)
  declare namespace: string;

  @Field(() => String)
  declare name: string;

  @Field(() => String, { description: 'The kind of the document it was written as.' })
  declare kind: string;

  @Field(() => ScaleTarget)
  declare target: ScaleTarget;

  @Field(() => String)
  declare actuation: string;

  @Field(() => Boolean)
  declare enabled: boolean;

  @Field(() => Boolean)
  declare dryRun: boolean;

  @Field(() => Int)
  declare minReplicas: number;

  @Field(() => Int)
  declare maxReplicas: number;

  @Field(() => String)
  declare selectionStrategy: string;

  @Field(() => Int)
  declare intervalSeconds: number;

  @Field(() => JsonScalar, { description: 'The document, PolicyDefaults applied.' })
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
  @Field(() => PolicyState)
  declare state: State;

  @Field(() => Int)
  declare policies: number;
}

/** The policies that a caller may view, counted. */
@ObjectType({ description: 'The policies in force that the caller may view, counted.' })
export class FleetSummary {
  @Field(() => Int)
  declare policies: number;

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
    interventions: standing.interventions.map(toIntervention),
    holds: standing.holds.map(({ source, hold }) => toHold(source, hold)),
    staleSince: standing.staleSince,
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
  const { outcome, time, scale, conditions } = report;
  return {
    outcome: outcome.kind,
    reason: outcome.reason,
    message: outcome.message,
    time,
    replicas: scale?.specReplicas ?? null,
    statusReplicas: scale?.statusReplicas ?? null,
    conditions: [...conditions],
  };
}
