import { Args, ArgsType, Context, Field, Int, Parent, ResolveField, Resolver } from '@nestjs/graphql';
import { PolicyCharts } from '../../admin/history/policy-charts.ts';
import { PolicyPeriods } from '../../admin/history/policy-periods.ts';
import type { RequestContext } from '../server/graphql-options.ts';
import { given } from '../types/given.ts';
import { Policy } from '../types/policy.type.ts';
import { PolicyChart } from '../types/policy-chart.type.ts';
import { PolicyPeriod, toPolicyPeriod } from '../types/policy-period.type.ts';

/** Which time a chart covers. */
@ArgsType()
class ChartArguments {
  @Field(() => String, { description: 'RFC 3339 with its zone, inclusive; at most 31 days before the end.' })
  declare from: string;

  @Field(() => String, { nullable: true, description: 'RFC 3339 with its zone, exclusive; left out: now.' })
  declare until?: string | null;

  @Field(() => Int, { defaultValue: 240, description: 'Values per line, 1 to 1,000.' })
  declare steps: number;
}

/** Which time a period is. */
@ArgsType()
class PeriodArguments {
  @Field(() => String, { description: 'RFC 3339 with its zone, inclusive; at most 31 days before the end.' })
  declare from: string;

  @Field(() => String, { nullable: true, description: 'RFC 3339 with its zone, exclusive; left out: now.' })
  declare until?: string | null;
}

/** What is drawn of a policy. */
@Resolver(() => Policy)
export class PolicyChartResolver {
  readonly #charts: PolicyCharts;
  readonly #periods: PolicyPeriods;

  constructor(charts: PolicyCharts, periods: PolicyPeriods) {
    this.#charts = charts;
    this.#periods = periods;
  }

  @ResolveField(() => PolicyChart, {
    nullable: true,
    description:
      'Counts, bounds and metrics over time, from the series that every pass writes (`series.retentionDays`). Passes that another replica runs are there after some four minutes; `knownUntil` says until when all are.',
  })
  chart(
    @Parent() policy: Policy,
    @Args() { from, steps, ...range }: ChartArguments,
    @Context() { principal, whenLeft }: RequestContext,
  ): Promise<PolicyChart | null> {
    const request = { from, steps, ...given(range), signal: whenLeft?.() };
    return this.#charts.chart(principal, policy, request);
  }

  @ResolveField(() => PolicyPeriod, {
    nullable: true,
    description:
      'What acted on it in a time beside its own entries: interventions of every scope that it is in, and syncs of its source. By the policy as it is now.',
  })
  async period(
    @Parent() { active }: Policy,
    @Args() { from, ...range }: PeriodArguments,
    @Context() { principal, whenLeft }: RequestContext,
  ): Promise<PolicyPeriod | null> {
    const period = await this.#periods.find(principal, active, {
      from,
      ...given(range),
      signal: whenLeft?.(),
    });
    return period === null ? null : toPolicyPeriod(period);
  }

  @ResolveField(() => [Int], {
    nullable: 'items',
    description:
      'spec.replicas in each of the last 60 minutes, oldest first, as the last pass of the minute saw it; null: no pass saw it, or it is not known while the database is away.',
  })
  recentReplicas(
    @Parent() policy: Policy,
    @Context() { principal }: RequestContext,
  ): Promise<readonly (number | null)[]> {
    return this.#charts.recentReplicas(principal, policy);
  }
}
