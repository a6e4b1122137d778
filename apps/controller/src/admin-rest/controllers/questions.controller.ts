import { Controller, UseInterceptors } from '@nestjs/common';
import {
  apiPrefix,
  type DecisionsAround,
  type Degradation,
  type DryDecision,
  type FlappingPolicies,
  type LedgerSeal,
  operations,
  type OrphanedHpa,
  type PolicyChart,
} from '#contracts';
import { namespacedName } from '#kernel';
import { CheckpointStatus } from '../../admin/history/checkpoint-status.ts';
import { PolicyCharts } from '../../admin/history/policy-charts.ts';
import { PolicyHistory } from '../../admin/history/policy-history.ts';
import { PolicyQueries } from '../../admin/policies/policy-queries.ts';
import { QueryError } from '../../admin/requests/query-error.ts';
import { Degradations } from '../../health/degradations.ts';
import { AnswerInterceptor } from '../answers/answer.interceptor.ts';
import { type Asked, AskedOf } from '../answers/asked.decorator.ts';
import { type Listing, listing, pageOfAll } from '../answers/listing.ts';
import { noDecision } from '../answers/no-decision.ts';
import { OperationRoute } from '../answers/operation-route.decorator.ts';
import { toDecisionsAround, toDryDecision } from '../answers/wire-forms.ts';

type Of<Id extends keyof typeof operations> = Asked<(typeof operations)[Id]>;

/** What is asked about policies over time, and what would be decided for them now. */
@Controller(apiPrefix)
@UseInterceptors(AnswerInterceptor)
export class QuestionsController {
  readonly #history: PolicyHistory;
  readonly #charts: PolicyCharts;

  constructor(history: PolicyHistory, charts: PolicyCharts) {
    this.#history = history;
    this.#charts = charts;
  }

  @OperationRoute(operations.getWhatIf)
  async getWhatIf(@AskedOf() { principal, parameters, query }: Of<'getWhatIf'>): Promise<DryDecision> {
    const found = await this.#history.decideWith(principal, parameters, query);
    if (found !== null) return toDryDecision(found);
    throw await noDecision(this.#history, principal, parameters);
  }

  @OperationRoute(operations.getDecisionsAround)
  async getDecisionsAround(
    @AskedOf() { principal, parameters, query }: Of<'getDecisionsAround'>,
  ): Promise<DecisionsAround> {
    return toDecisionsAround(
      await this.#history.decisionsAround(principal, { policy: parameters, ...query }),
    );
  }

  @OperationRoute(operations.getChart)
  async getChart(
    @AskedOf() { principal, parameters, query, whenLeft }: Of<'getChart'>,
  ): Promise<PolicyChart> {
    const found = await this.#charts.chart(principal, parameters, { ...query, signal: whenLeft() });
    if (found !== null) return found;
    throw new QueryError('UnknownPolicy', `there is no policy ${namespacedName(parameters)}`);
  }

  @OperationRoute(operations.getFlappingPolicies)
  getFlappingPolicies(
    @AskedOf() { principal, query: { from, until, reversals }, whenLeft }: Of<'getFlappingPolicies'>,
  ): Promise<FlappingPolicies> {
    return this.#history.listFlapping(principal, { from, until, reversals, signal: whenLeft() });
  }
}

/** How the controller itself stands. */
@Controller(apiPrefix)
@UseInterceptors(AnswerInterceptor)
export class StandingController {
  readonly #queries: PolicyQueries;
  readonly #seals: CheckpointStatus;
  readonly #degradations: Degradations;

  constructor(queries: PolicyQueries, seals: CheckpointStatus, degradations: Degradations) {
    this.#queries = queries;
    this.#seals = seals;
    this.#degradations = degradations;
  }

  @OperationRoute(operations.listOrphanedHpas)
  listOrphanedHpas(@AskedOf() { principal, query }: Of<'listOrphanedHpas'>): Listing<OrphanedHpa> {
    return listing(
      query,
      async (page) =>
        pageOfAll(await this.#queries.listOrphanedHpas(principal), page, {
          list: 'orphanedHpas',
          keyOf: namespacedName,
        }),
      ({ namespace, name, policy, message, since }) => ({ namespace, name, policy, message, since }),
    );
  }

  @OperationRoute(operations.getLedgerSeal)
  async getLedgerSeal(@AskedOf() { principal }: Of<'getLedgerSeal'>): Promise<LedgerSeal> {
    const found = await this.#seals.find(principal);
    if (found !== null) return { ...found, sinks: [...found.sinks] };
    throw new QueryError('Forbidden', `${principal.name} may not view every namespace, and a seal is of all`);
  }

  @OperationRoute(operations.listDegradations)
  listDegradations(@AskedOf() { query }: Of<'listDegradations'>): Listing<Degradation> {
    return listing(
      query,
      (page) =>
        pageOfAll(this.#degradations.list(), page, { list: 'degradations', keyOf: ({ what }) => what }),
      ({ what, since, message }) => ({ what, since, message }),
    );
  }
}
