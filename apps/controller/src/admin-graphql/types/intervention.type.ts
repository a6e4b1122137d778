import { Field, Int, ObjectType } from '@nestjs/graphql';
import type { Direction, Intervention as InterventionPayload } from '#decision';
import type { InterventionScope as StandingScope, StandingIntervention } from '#ledger';
import { toldEffects } from '../../admin/effects/policy-effects.ts';
import type { ActionEffect } from '../../admin/requests/action-effect.ts';
import { Node } from './audit-entry.type.ts';
import { enumOf } from './enum-of.ts';

export const InterventionKind = enumOf(
  'InterventionKind',
  'What an intervention does to the policies of its scope.',
  {
    Suspend: 'They do not scale in a direction.',
    Override: 'One of them has other bounds, or a count in place of what is decided.',
    DryRun: 'They are decided and recorded, and nothing is written.',
  },
);
export const ScopeKind = enumOf('InterventionScopeKind', 'Which policies an intervention is for.', {
  Policy: 'A single one, by its namespace and name.',
  Namespace: 'All in one namespace.',
  Source: 'All that come from one repository.',
  MetricSource: 'All with a metric of one source, such as `prometheus/main`.',
  Cluster: 'All that there are.',
});
export const ScalingDirection = enumOf<Direction>('ScalingDirection', 'Which way a count may go.', {
  Up: 'To more replicas.',
  Down: 'To fewer replicas.',
  Both: 'To more and to fewer.',
});

/** Which policies an intervention is for. */
@ObjectType({ description: 'Which policies an intervention is for.' })
export class InterventionScope {
  @Field(() => ScopeKind, { description: 'How wide it is; the other fields say which one.' })
  declare kind: StandingScope['kind'];

  @Field(() => String, { nullable: true, description: 'Of scopes Policy and Namespace: which namespace.' })
  declare namespace: string | null;

  @Field(() => String, { nullable: true, description: 'Of scope Policy: what the policy is called.' })
  declare name: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'Of scope Source: the repository, as the configuration names it.',
  })
  declare source: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'Of scope MetricSource: `metrics.k8s.io`, `prometheus/main`, `recommender/HOST`.',
  })
  declare metricSource: string | null;
}

/** What an intervention met when it began. */
@ObjectType({ description: 'What an intervention met when it began.' })
export class InterventionBeginning {
  @Field(() => Int, {
    description:
      'How many policies in force it acts on now; those that come before it expires are not counted.',
  })
  declare policies: number;

  @Field(() => [String], {
    description:
      'What it does to the first 20 of them, a sentence each: bounds and count, and which override gives way.',
  })
  declare effects: readonly string[];

  @Field(() => [Intervention], {
    description: 'What operators began before for the same policies, and what still stands; at most 100.',
  })
  declare standing: readonly Intervention[];
}

/** A suspension, override or dry run that has begun and not ended. */
@ObjectType({
  description:
    'A suspension of a direction, an override of bounds or count, or a dry run. It acts until it expires, by itself, or is ended.',
  implements: () => [Node],
})
export class Intervention extends Node {
  declare __typename: string;

  @Field(() => InterventionKind, { description: 'What it does to the policies of its scope.' })
  declare kind: InterventionPayload['kind'];

  @Field(() => InterventionScope, { description: 'Which policies it acts on.' })
  declare scope: InterventionScope;

  @Field(() => ScalingDirection, { nullable: true, description: 'null: it is no suspension.' })
  declare direction: Direction | null;

  @Field(() => Int, { nullable: true, description: "In place of the policy's own." })
  declare minReplicas: number | null;

  @Field(() => Int, { nullable: true, description: "In place of the policy's own." })
  declare maxReplicas: number | null;

  @Field(() => Int, { nullable: true, description: 'In place of what the policy decides.' })
  declare replicas: number | null;

  @Field(() => String, { description: 'What the operator wrote, for the readers of the ledger.' })
  declare reason: string;

  @Field(() => String, {
    description: 'The person or token that began it; `fleet-brake`: the controller itself.',
  })
  declare actor: string;

  @Field(() => String, { description: 'When it began, RFC 3339.' })
  declare since: string;

  @Field(() => String, { description: 'RFC 3339; at this moment it no longer acts.' })
  declare expires: string;

  @Field(() => [String], {
    description:
      'What guardrails and the limits of the tenant said against it as it began; empty: it was not forced, or an earlier release began it.',
  })
  declare against: readonly string[];

  @Field(() => InterventionBeginning, {
    nullable: true,
    description: 'In the answer to the mutation that began it; null elsewhere.',
  })
  declare begun: InterventionBeginning | null;

  /** As the ledger has it; no field of the schema. */
  declare standingScope: StandingIntervention['scope'];
}

/** Shapes an intervention for the API. */
export function toIntervention({
  id,
  scope,
  intervention,
  against = [],
}: StandingIntervention): Intervention {
  const { kind, reason, actor, since, expires } = intervention;
  return {
    __typename: 'Intervention',
    id,
    kind,
    scope: { namespace: null, name: null, source: null, metricSource: null, ...scope },
    direction: intervention.kind === 'Suspend' ? intervention.direction : null,
    ...countsOf(intervention),
    reason: reason ?? '',
    actor: actor ?? '',
    since: since ?? '',
    expires,
    against,
    begun: null,
    standingScope: scope,
  };
}

/** Shapes one that has just begun, as its effect says. */
export function toBegunIntervention(
  begun: StandingIntervention,
  { total, policies, standing }: ActionEffect,
): Intervention {
  const met = { policies: total, effects: toldEffects(policies), standing: standing.map(toIntervention) };
  return { ...toIntervention(begun), begun: met };
}

function countsOf(
  intervention: StandingIntervention['intervention'],
): Pick<Intervention, 'minReplicas' | 'maxReplicas' | 'replicas'> {
  if (intervention.kind !== 'Override') return { minReplicas: null, maxReplicas: null, replicas: null };
  const { minReplicas = null, maxReplicas = null, replicas = null } = intervention;
  return { minReplicas, maxReplicas, replicas };
}
