import { Field, Int, ObjectType } from '@nestjs/graphql';
import type { Direction, Intervention as InterventionPayload } from '#decision';
import type { InterventionScope as StandingScope, StandingIntervention } from '#ledger';
import { Node } from './audit-entry.type.ts';
import { enumOf } from './enum-of.ts';

export const InterventionKind = enumOf(
  'InterventionKind',
  ['Suspend', 'Override', 'DryRun'],
  'What an intervention does.',
);
export const ScopeKind = enumOf(
  'InterventionScopeKind',
  ['Policy', 'Namespace', 'Source', 'MetricSource', 'Cluster'],
  'Which policies an intervention is for.',
);
export const ScalingDirection = enumOf('ScalingDirection', ['Up', 'Down', 'Both'], 'A direction of scaling.');

/** Which policies an intervention is for. */
@ObjectType({ description: 'Which policies an intervention is for.' })
export class InterventionScope {
  @Field(() => ScopeKind)
  declare kind: StandingScope['kind'];

  @Field(() => String, { nullable: true })
  declare namespace: string | null;

  @Field(() => String, { nullable: true, description: 'Of the policy.' })
  declare name: string | null;

  @Field(() => String, { nullable: true })
  declare source: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'A source of metrics: `metrics.k8s.io`, `prometheus/main`, `recommender/HOST`.',
  })
  declare metricSource: string | null;
}

/** A suspension, override or dry run that has begun and not ended. */
@ObjectType({
  description:
    'A suspension of a direction, an override of bounds or count, or a dry run. It acts until it expires, by itself, or is ended.',
  implements: () => [Node],
})
export class Intervention extends Node {
  declare __typename: string;

  @Field(() => InterventionKind)
  declare kind: InterventionPayload['kind'];

  @Field(() => InterventionScope)
  declare scope: InterventionScope;

  @Field(() => ScalingDirection, { nullable: true, description: 'null: it is no suspension.' })
  declare direction: Direction | null;

  @Field(() => Int, { nullable: true, description: "In place of the policy's own." })
  declare minReplicas: number | null;

  @Field(() => Int, { nullable: true, description: "In place of the policy's own." })
  declare maxReplicas: number | null;

  @Field(() => Int, { nullable: true, description: 'In place of what the policy decides.' })
  declare replicas: number | null;

  @Field(() => String)
  declare reason: string;

  @Field(() => String)
  declare actor: string;

  @Field(() => String, { description: 'RFC 3339.' })
  declare since: string;

  @Field(() => String, { description: 'RFC 3339; at this moment it no longer acts.' })
  declare expires: string;
}

/** Shapes an intervention for the API. */
export function toIntervention({ id, scope, intervention }: StandingIntervention): Intervention {
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
  };
}

function countsOf(
  intervention: StandingIntervention['intervention'],
): Pick<Intervention, 'minReplicas' | 'maxReplicas' | 'replicas'> {
  if (intervention.kind !== 'Override') return { minReplicas: null, maxReplicas: null, replicas: null };
  const { minReplicas = null, maxReplicas = null, replicas = null } = intervention;
  return { minReplicas, maxReplicas, replicas };
}
