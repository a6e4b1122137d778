import { Controller, UseInterceptors } from '@nestjs/common';
import { apiPrefix, type Decision, type DecisionDetails, operations, type ScalingEvent } from '#contracts';
import { LedgerQueries } from '../../admin/history/ledger-queries.ts';
import { ProblemError } from '../../http/problem-error.ts';
import { AnswerInterceptor } from '../answers/answer.interceptor.ts';
import { type Asked, AskedOf } from '../answers/asked.decorator.ts';
import { type Listing, listing } from '../answers/listing.ts';
import { OperationRoute } from '../answers/operation-route.decorator.ts';
import { toDecision, toDecisionDetails, toScalingEvent } from '../answers/wire-forms.ts';

type Of<Id extends keyof typeof operations> = Asked<(typeof operations)[Id]>;

/** What was decided, and what came of it. */
@Controller(apiPrefix)
@UseInterceptors(AnswerInterceptor)
export class DecisionsController {
  readonly #queries: LedgerQueries;

  constructor(queries: LedgerQueries) {
    this.#queries = queries;
  }

  @OperationRoute(operations.listPolicyDecisions)
  listPolicyDecisions(
    @AskedOf() { principal, parameters, query }: Of<'listPolicyDecisions'>,
  ): Listing<Decision> {
    const filter = { ...query, policy: parameters };
    return listing(query, (page) => this.#queries.listDecisions(principal, page, filter), toDecision);
  }

  @OperationRoute(operations.listPolicyScalingEvents)
  listPolicyScalingEvents(
    @AskedOf() { principal, parameters, query }: Of<'listPolicyScalingEvents'>,
  ): Listing<ScalingEvent> {
    const filter = { ...query, policy: parameters };
    return listing(query, (page) => this.#queries.listScalingEvents(principal, page, filter), toScalingEvent);
  }

  @OperationRoute(operations.listDecisions)
  listDecisions(@AskedOf() { principal, query }: Of<'listDecisions'>): Listing<Decision> {
    const filter = { ...query, namespaces: query.namespace };
    return listing(query, (page) => this.#queries.listDecisions(principal, page, filter), toDecision);
  }

  @OperationRoute(operations.getDecision)
  async getDecision(
    @AskedOf() { principal, parameters, query }: Of<'getDecision'>,
  ): Promise<DecisionDetails> {
    const isWithoutInput = query.without === 'input';
    const reading = { isWithoutObservations: isWithoutInput };
    const found = await this.#queries.findDecision(principal, parameters.id, reading);
    if (found !== null) return isWithoutInput ? toDecision(found) : toDecisionDetails(found);
    throw new ProblemError({
      status: 404,
      code: 'UnknownDecision',
      detail: 'there is no decision of this id',
    });
  }

  @OperationRoute(operations.listScalingEvents)
  listScalingEvents(@AskedOf() { principal, query }: Of<'listScalingEvents'>): Listing<ScalingEvent> {
    const { from, until, namespace: namespaces } = query;
    const filter = { from, until, namespaces };
    return listing(query, (page) => this.#queries.listScalingEvents(principal, page, filter), toScalingEvent);
  }
}
