import { Args, ArgsType, Context, Field, Parent, Query, ResolveField, Resolver } from '@nestjs/graphql';
import type { Json } from '#kernel';
import { LedgerQueries } from '../../admin/history/ledger-queries.ts';
import { PolicyHistory } from '../../admin/history/policy-history.ts';
import { PolicyQueries } from '../../admin/policies/policy-queries.ts';
import type { PolicyState as State } from '../../admin/policies/policy-standing.ts';
import type { Page } from '../../admin/requests/page.ts';
import { Roles } from '../../auth/callers/roles.decorator.ts';
import type { RequestContext } from '../server/graphql-options.ts';
import { OrphanedHpa } from '../types/actuation.type.ts';
import { type Connection, PageArguments, pageConnection } from '../types/connection.ts';
import { Decision, DecisionConnection } from '../types/decision.type.ts';
import { toDecision, toScalingEvent, toStrategyChange } from '../types/entry-forms.ts';
import {
  type ScalingEvent,
  ScalingEventConnection,
  type StrategyChange,
  StrategyChangeConnection,
} from '../types/events.type.ts';
import { FleetSummary } from '../types/fleet.type.ts';
import { JsonScalar } from '../types/json.scalar.ts';
import { Policy, PolicyConnection, toPolicy } from '../types/policy.type.ts';
import { PolicyState } from '../types/policy-state.type.ts';
import { type PolicyVersion, PolicyVersionConnection, toPolicyVersion } from '../types/revision.type.ts';

/** As many as one answer names; `plimsoll_orphaned_hpas` counts them all. */
const maximumOrphans = 100;

/** Which policies in force. */
@ArgsType()
class PoliciesArguments extends PageArguments {
  @Field(() => String, { nullable: true, description: 'Only those that live in it.' })
  declare namespace?: string | null;

  @Field(() => [PolicyState], {
    nullable: true,
    description: 'Only those of which each of these may be said.',
  })
  declare states?: State[] | null;
}

/** Policies in force, and what happened under each. */
@Resolver(() => Policy)
export class PoliciesResolver {
  readonly #policies: PolicyQueries;
  readonly #ledger: LedgerQueries;
  readonly #history: PolicyHistory;

  constructor(policies: PolicyQueries, ledger: LedgerQueries, history: PolicyHistory) {
    this.#policies = policies;
    this.#ledger = ledger;
    this.#history = history;
  }

  @Roles('viewer')
  @Query(() => PolicyConnection, { description: 'Policies in force, by namespace and name.' })
  async policies(
    @Context() { principal, whenLeft }: RequestContext,
    @Args() { namespace, states, ...page }: PoliciesArguments,
  ): Promise<Connection<Policy>> {
    return pageConnection(
      await this.#policies.listPolicies(principal, page, {
        namespaces: typeof namespace === 'string' ? [namespace] : undefined,
        states,
        signal: whenLeft?.(),
      }),
      toPolicy,
    );
  }

  @Roles('viewer')
  @Query(() => FleetSummary, {
    description: 'The policies that the caller may view, counted by their states.',
  })
  async fleet(@Context() { principal }: RequestContext): Promise<FleetSummary> {
    const { states, ...counts } = await this.#policies.fleet(principal);
    return { ...counts, states: [...states] };
  }

  @Roles('viewer')
  @Query(() => Policy, { nullable: true, description: 'One policy in force, by namespace and name.' })
  async policy(
    @Context() { principal }: RequestContext,
    @Args('namespace', { type: () => String, description: 'The namespace that the policy lives in.' })
    namespace: string,
    @Args('name', { type: () => String, description: 'What the policy is called, within its namespace.' })
    name: string,
  ): Promise<Policy | null> {
    const view = await this.#policies.findPolicy(principal, { namespace, name });
    return view === null ? null : toPolicy(view);
  }

  @Roles('viewer')
  @Query(() => [OrphanedHpa], { description: 'HPAs of ours that no policy in force explains, by name.' })
  async orphanedHpas(@Context() { principal }: RequestContext): Promise<readonly OrphanedHpa[]> {
    return (await this.#policies.listOrphanedHpas(principal)).slice(0, maximumOrphans);
  }

  @ResolveField(() => JsonScalar)
  document(@Parent() { document }: Policy, @Context() { budget }: RequestContext): Json {
    return budget.spend(document);
  }

  @ResolveField(() => String, {
    nullable: true,
    description: 'The value of a label of its document, such as `team`; null: it has none of that name.',
  })
  label(
    @Parent() { labels }: Policy,
    @Args('name', { type: () => String, description: 'The key of the label.' }) name: string,
  ): string | null {
    return Object.hasOwn(labels, name) ? (labels[name] ?? null) : null;
  }

  @ResolveField(() => Decision, {
    nullable: true,
    description:
      'The decision that was recorded last, whatever its time: the last that differs from the one before it, whether or not it scales.',
  })
  async latestDecision(
    @Parent() policy: Policy,
    @Context() { principal }: RequestContext,
  ): Promise<Decision | null> {
    const latest = await this.#ledger.latestDecision(principal, policy);
    return latest === null ? null : toDecision(latest);
  }

  @ResolveField(() => DecisionConnection, { description: 'What was decided for it, newest first.' })
  decisions(
    @Parent() policy: Policy,
    @Args() page: PageArguments,
    @Context() { principal }: RequestContext,
  ): Promise<Connection<Decision>> {
    return this.#connect(this.#ledger.listDecisions(principal, page, { policy }), toDecision);
  }

  @ResolveField(() => ScalingEventConnection, { description: 'Its changes of replicas, newest first.' })
  scalingEvents(
    @Parent() policy: Policy,
    @Args() page: PageArguments,
    @Context() { principal }: RequestContext,
  ): Promise<Connection<ScalingEvent>> {
    return this.#connect(this.#ledger.listScalingEvents(principal, page, { policy }), toScalingEvent);
  }

  @ResolveField(() => StrategyChangeConnection, { description: 'Its strategy changes, newest first.' })
  strategyChanges(
    @Parent() policy: Policy,
    @Args() page: PageArguments,
    @Context() { principal }: RequestContext,
  ): Promise<Connection<StrategyChange>> {
    return this.#connect(this.#ledger.listStrategyChanges(principal, page, policy), toStrategyChange);
  }

  @ResolveField(() => PolicyVersionConnection, { description: 'What it was and is, newest first.' })
  versions(
    @Parent() policy: Policy,
    @Args() page: PageArguments,
    @Context() { principal }: RequestContext,
  ): Promise<Connection<PolicyVersion>> {
    return this.#connect(this.#history.listVersions(principal, page, policy), toPolicyVersion);
  }

  async #connect<T, N>(page: Promise<Page<T>>, form: (item: T) => N): Promise<Connection<N>> {
    return pageConnection(await page, form);
  }
}
