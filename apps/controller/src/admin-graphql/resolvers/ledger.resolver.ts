import { Args, ArgsType, Context, Field, ID, Info, Query, Resolver } from '@nestjs/graphql';
import type { GraphQLResolveInfo } from 'graphql';
import { LedgerQueries } from '../../admin/history/ledger-queries.ts';
import { Roles } from '../../auth/callers/roles.decorator.ts';
import type { RequestContext } from '../server/graphql-options.ts';
import {
  type ActuationOutcome,
  ActuationOutcomeConnection,
  type HpaObservation,
  HpaObservationConnection,
} from '../types/actuation.type.ts';
import { asksForSummaries, asksForSummary, type SummarizedDecision } from '../types/asks-for-summaries.ts';
import { type Connection, PageArguments, pageConnection } from '../types/connection.ts';
import { Decision, DecisionConnection } from '../types/decision.type.ts';
import {
  toActuationOutcome,
  toDecision,
  toHpaObservation,
  toPolicyChange,
  toScalingEvent,
  toStrategyChange,
  toSummarizedDecision,
  toSyncRun,
} from '../types/entry-forms.ts';
import {
  type PolicyChange,
  PolicyChangeConnection,
  type ScalingEvent,
  ScalingEventConnection,
  type StrategyChange,
  StrategyChangeConnection,
  type SyncRun,
  SyncRunConnection,
} from '../types/events.type.ts';
import { DecisionFilterInput, PolicyNameInput } from '../types/filters.args.ts';
import { given } from '../types/given.ts';

const policyArgument = {
  type: () => PolicyNameInput,
  nullable: true,
  description: 'Of this one alone; left out: of all.',
} as const;

/** Which decisions. */
@ArgsType()
class DecisionsArguments extends PageArguments {
  @Field(() => DecisionFilterInput, { nullable: true, description: 'Which of them; left out: all.' })
  declare where?: DecisionFilterInput | null;
}

/** The ledger's entries by kind, newest first. */
@Resolver()
export class LedgerResolver {
  readonly #queries: LedgerQueries;

  constructor(queries: LedgerQueries) {
    this.#queries = queries;
  }

  @Roles('viewer')
  @Query(() => DecisionConnection, {
    description:
      'Recorded decisions, newest first: each that differs from the one before it, whether or not it scales.',
  })
  async decisions(
    @Context() { principal }: RequestContext,
    @Args() { where, ...page }: DecisionsArguments,
    @Info() asked: GraphQLResolveInfo,
  ): Promise<Connection<Decision | SummarizedDecision>> {
    const filter = given(where ?? {});
    return asksForSummaries(asked)
      ? pageConnection(
          await this.#queries.listDecisionSummaries(principal, page, filter),
          toSummarizedDecision,
        )
      : pageConnection(await this.#queries.listDecisions(principal, page, filter), toDecision);
  }

  @Roles('viewer')
  @Query(() => Decision, { nullable: true, description: 'One decision, by its id.' })
  async decision(
    @Context() { principal }: RequestContext,
    @Args('id', { type: () => ID, description: 'As lists have it: `policy:shop/checkout#12`.' }) id: string,
    @Info() asked: GraphQLResolveInfo,
  ): Promise<Decision | SummarizedDecision | null> {
    if (asksForSummary(asked)) {
      const summary = await this.#queries.findDecisionSummary(principal, id);
      return summary === null ? null : toSummarizedDecision(summary);
    }
    const entry = await this.#queries.findDecision(principal, id, { isWithoutObservations: true });
    return entry === null ? null : toDecision(entry);
  }

  @Roles('viewer')
  @Query(() => ScalingEventConnection, { description: 'Changes of replica counts, newest first.' })
  async scalingEvents(
    @Context() { principal }: RequestContext,
    @Args() page: PageArguments,
    @Args('policy', policyArgument) policy?: PolicyNameInput | null,
  ): Promise<Connection<ScalingEvent>> {
    return pageConnection(
      await this.#queries.listScalingEvents(principal, page, { policy: policy ?? undefined }),
      toScalingEvent,
    );
  }

  @Roles('viewer')
  @Query(() => ActuationOutcomeConnection, { description: 'Writes of HPAs, newest first.' })
  async actuationOutcomes(
    @Context() { principal }: RequestContext,
    @Args() page: PageArguments,
    @Args('policy', policyArgument) policy?: PolicyNameInput | null,
  ): Promise<Connection<ActuationOutcome>> {
    return pageConnection(
      await this.#queries.listActuationOutcomes(principal, page, policy ?? undefined),
      toActuationOutcome,
    );
  }

  @Roles('viewer')
  @Query(() => HpaObservationConnection, { description: 'What HPAs’ statuses said, newest first.' })
  async hpaObservations(
    @Context() { principal }: RequestContext,
    @Args() page: PageArguments,
    @Args('policy', policyArgument) policy?: PolicyNameInput | null,
  ): Promise<Connection<HpaObservation>> {
    return pageConnection(
      await this.#queries.listHpaObservations(principal, page, policy ?? undefined),
      toHpaObservation,
    );
  }

  @Roles('viewer')
  @Query(() => StrategyChangeConnection, {
    description: 'Changes of how policies are carried out, newest first.',
  })
  async strategyChanges(
    @Context() { principal }: RequestContext,
    @Args() page: PageArguments,
    @Args('policy', policyArgument) policy?: PolicyNameInput | null,
  ): Promise<Connection<StrategyChange>> {
    return pageConnection(
      await this.#queries.listStrategyChanges(principal, page, policy ?? undefined),
      toStrategyChange,
    );
  }

  @Roles('viewer')
  @Query(() => PolicyChangeConnection, {
    description: 'Policies that came, changed or went, newest first.',
  })
  async policyChanges(
    @Context() { principal }: RequestContext,
    @Args() page: PageArguments,
    @Args('policy', policyArgument) policy?: PolicyNameInput | null,
  ): Promise<Connection<PolicyChange>> {
    return pageConnection(
      await this.#queries.listPolicyChanges(principal, page, policy ?? undefined),
      toPolicyChange,
    );
  }

  @Roles('viewer')
  @Query(() => SyncRunConnection, { description: 'Syncs that found something new, or failed, newest first.' })
  async syncRuns(
    @Context() { principal }: RequestContext,
    @Args() page: PageArguments,
  ): Promise<Connection<SyncRun>> {
    return pageConnection(await this.#queries.listSyncRuns(principal, page), toSyncRun);
  }
}
