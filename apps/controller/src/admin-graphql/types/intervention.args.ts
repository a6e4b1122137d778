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

  @Field(() => String, { nullable: true, description: 'With scope Policy and Namespace: which one.' })
  declare namespace?: string | null;

  @Field(() => String, { nullable: true, description: 'With scope Policy: what the policy is called.' })
  declare name?: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'With scope Source: the repository, as the configuration names it.',
  })
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
  @Field(() => ScalingDirection, { description: 'What is to stop.' })
  declare direction: Direction;
}

/** Bounds or a count in place of a policy's own. */
@ArgsType()
export class OverrideArguments extends ReasonedArguments {
  @Field(() => String, { description: 'The namespace that the policy, and what it scales, lives in.' })
  declare namespace: string;

  @Field(() => String, { description: 'What the policy is called, within its namespace.' })
  declare name: string;

  @Field(() => Int, {
    nullable: true,
    description: 'The fewest replicas, in place of the policy’s own bound.',
  })
  declare minReplicas?: number | null;

  @Field(() => Int, { nullable: true, description: 'The most replicas, in place of the policy’s own bound.' })
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
  @Field(() => ID, { description: 'Which intervention, as `interventions` lists it.' })
  declare id: string;
}
