import { Args, ArgsType, Context, Field, Int, Query, Resolver } from '@nestjs/graphql';
import { PolicyHistory } from '../../admin/history/policy-history.ts';
import { Roles } from '../../auth/callers/roles.decorator.ts';
import type { RequestContext } from '../server/graphql-options.ts';
import { toDecision, toDecisionRun } from '../types/entry-forms.ts';
import { given } from '../types/given.ts';
import { DecisionsAround, DryDecision, FlappingPolicies } from '../types/history.type.ts';

/** A policy and a moment. */
@ArgsType()
class MomentArguments {
  @Field(() => String, { description: 'The namespace that the policy lives in.' })
  declare namespace: string;

  @Field(() => String, { description: 'What the policy is called, within its namespace.' })
  declare name: string;

  @Field(() => String, { description: 'RFC 3339 with its zone; it has come.' })
  declare time: string;

  @Field(() => Int, { defaultValue: 3, description: 'Decisions on each side, 1 to 100.' })
  declare first: number;
}

/** A time in which counts changed. */
@ArgsType()
class FlappingArguments {
  @Field(() => String, { description: 'RFC 3339 with its zone, inclusive.' })
  declare from: string;

  @Field(() => String, { nullable: true, description: 'RFC 3339 with its zone, exclusive.' })
  declare until?: string | null;

  @Field(() => Int, { defaultValue: 3, description: 'Only policies with at least so many.' })
  declare reversals: number;
}

/** A policy and bounds in the place of its own. */
@ArgsType()
class BoundsArguments {
  @Field(() => String, { description: 'The namespace that the policy lives in.' })
  declare namespace: string;

  @Field(() => String, { description: 'What the policy is called, within its namespace.' })
  declare name: string;

  @Field(() => Int, { nullable: true, description: 'In place of the policy’s own.' })
  declare minReplicas?: number | null;

  @Field(() => Int, { nullable: true, description: 'In place of the policy’s own.' })
  declare maxReplicas?: number | null;
}

/** What is asked about policies over time, and what would be decided for them now. */
@Resolver()
export class HistoryResolver {
  readonly #history: PolicyHistory;

  constructor(history: PolicyHistory) {
    this.#history = history;
  }

  @Roles('viewer')
  @Query(() => DecisionsAround, {
    description:
      'What was decided for a policy before and after a moment: what was in force then, and what changed it.',
  })
  async decisionsAround(
    @Context() { principal }: RequestContext,
    @Args() { namespace, name, time, first }: MomentArguments,
  ): Promise<DecisionsAround> {
    const found = await this.#history.decisionsAround(principal, {
      policy: { namespace, name },
      time,
      first,
    });
    return {
      before: found.before.map(toDecision),
      after: found.after.map(toDecision),
      run: found.run === null ? null : toDecisionRun(found.run),
    };
  }

  @Roles('viewer')
  @Query(() => FlappingPolicies, { description: 'Which policies’ counts went up and down.' })
  async flappingPolicies(
    @Context() { principal, whenLeft }: RequestContext,
    @Args() { from, until, reversals }: FlappingArguments,
  ): Promise<FlappingPolicies> {
    return this.#history.listFlapping(principal, {
      from,
      until: until ?? undefined,
      reversals,
      signal: whenLeft?.(),
    });
  }

  @Roles('viewer')
  @Query(() => DryDecision, {
    nullable: true,
    description:
      'What would be decided with other bounds, on the newest recorded observation; null: there is none. Nothing is written.',
  })
  async whatIf(
    @Context() { principal }: RequestContext,
    @Args() { namespace, name, ...bounds }: BoundsArguments,
  ): Promise<DryDecision | null> {
    const found = await this.#history.decideWith(principal, { namespace, name }, given(bounds));
    if (found === null) return null;
    const { action, desiredReplicas, reason, metrics, steps } = toDecision({
      ...found.recorded,
      payload: { ...found.recorded.payload, decision: found.decision },
    });
    return { recorded: toDecision(found.recorded), action, desiredReplicas, reason, metrics, steps };
  }
}
