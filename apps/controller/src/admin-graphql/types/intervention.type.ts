import { ArgsType, Field, ID, Int, ObjectType } from '@nestjs/graphql';
import type { Direction, Intervention as InterventionPayload } from '#decision';
import type { InterventionScope as StandingScope, StandingIntervention } from '#ledger';
import { actionResult } from './action-result.ts';
import { Node } from './audit-entry.type.ts';
import { enumOf } from './enum-of.ts';

export const InterventionKind = enumOf(
  'InterventionKind',
  ['Suspend', 'Override', 'DryRun'],
  'What an intervention does.',
);
export const ScopeKind = enumOf(
  'InterventionScopeKind',
  ['Policy', 'Namespace', 'Source', 'Cluster'],
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
}

/** A suspension or override that has begun and not ended. */
@ObjectType({
  description:
    'A suspension of a direction, or an override of bounds or count. It acts until it expires, by itself, or is ended.',
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

export const InterventionAction = actionResult(
  Intervention,
  'The intervention that began or ended, or why the action was refused.',
);

const expiry = { description: 'RFC 3339 with its zone; at most 24 hours from now.' } as const;
const why = { description: 'A sentence for the readers of the ledger; at most 1,000 characters.' } as const;

/** A direction that is not to be scaled in. */
@ArgsType()
export class SuspensionArguments {
  @Field(() => ScopeKind, {
    description:
      'Policy (with namespace and name), Namespace (with namespace), Source (with source), or Cluster.',
  })
  declare scope: StandingScope['kind'];

  @Field(() => String, { nullable: true })
  declare namespace?: string | null;

  @Field(() => String, { nullable: true })
  declare name?: string | null;

  @Field(() => String, { nullable: true })
  declare source?: string | null;

  @Field(() => ScalingDirection)
  declare direction: Direction;

  @Field(() => String, expiry)
  declare expires: string;

  @Field(() => String, why)
  declare reason: string;
}

/** Bounds or a count in place of a policy's own. */
@ArgsType()
export class OverrideArguments {
  @Field(() => String)
  declare namespace: string;

  @Field(() => String)
  declare name: string;

  @Field(() => Int, { nullable: true })
  declare minReplicas?: number | null;

  @Field(() => Int, { nullable: true })
  declare maxReplicas?: number | null;

  @Field(() => Int, { nullable: true, description: 'A pin: within the bounds, exactly so many.' })
  declare replicas?: number | null;

  @Field(() => String, expiry)
  declare expires: string;

  @Field(() => String, why)
  declare reason: string;
}

/** An intervention that is to end before it expires. */
@ArgsType()
export class InterventionEndArguments {
  @Field(() => ID)
  declare id: string;

  @Field(() => String, why)
  declare reason: string;
}

/** Shapes an intervention for the API. */
export function toIntervention({ id, scope, intervention }: StandingIntervention): Intervention {
  const { kind, reason, actor, since, expires } = intervention;
  return {
    __typename: 'Intervention',
    id,
    kind,
    scope: { namespace: null, name: null, source: null, ...scope },
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
