import { ArgsType, Field, ID, Int } from '@nestjs/graphql';
import type { Direction } from '#decision';
import type { InterventionScope } from '#ledger';
import { actionResult } from './action-result.ts';
import { Intervention, ScalingDirection, ScopeKind } from './intervention.type.ts';
import { ReasonedArguments } from './reasoned.args.ts';

export const InterventionAction = actionResult(
  Intervention,
  'The intervention that began or ended, what a dry run of the request says, or why the action was refused.',
);

const expiry = {
  description:
    'RFC 3339 with its zone; at most 24 hours from now, unless `interventions.maximumHours` says otherwise.',
} as const;

/** Policies that are to decide and write nothing. */
@ArgsType()
export class DryRunArguments extends ReasonedArguments {
  @Field(() => ScopeKind, {
    description:
      'Policy (with namespace and name), Namespace (with namespace), Source (with source), MetricSource (with metricSource), or Cluster.',
  })
  declare scope: InterventionScope['kind'];

  @Field(() => String, { nullable: true })
  declare namespace?: string | null;

  @Field(() => String, { nullable: true })
  declare name?: string | null;

  @Field(() => String, { nullable: true })
  declare source?: string | null;

  @Field(() => String, {
    nullable: true,
    description:
      'Policies with a metric of this source: `metrics.k8s.io`, `prometheus/main`, `recommender/HOST`.',
  })
  declare metricSource?: string | null;

  @Field(() => String, expiry)
  declare expires: string;
}

/** A direction that is not to be scaled in. */
@ArgsType()
export class SuspensionArguments extends DryRunArguments {
  @Field(() => ScalingDirection)
  declare direction: Direction;
}

/** Bounds or a count in place of a policy's own. */
@ArgsType()
export class OverrideArguments extends ReasonedArguments {
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

  @Field(() => Boolean, {
    nullable: true,
    description: 'Also outside guardrails and the limits of the tenant. Role admin; recorded as Forced.',
  })
  declare force?: boolean | null;
}

/** An intervention that is to end before it expires. */
@ArgsType()
export class InterventionEndArguments extends ReasonedArguments {
  @Field(() => ID)
  declare id: string;
}
