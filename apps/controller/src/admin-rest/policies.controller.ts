import { Controller, UseInterceptors } from '@nestjs/common';
import {
  type ActionPreview,
  apiPrefix,
  type Decision,
  type DecisionDetails,
  type EffectiveValues,
  type Fleet,
  operations,
  type Policy,
  type PolicyDetails,
  type ScalingEvent,
  type SyncResult,
} from '#contracts';
import { namespacedName } from '#kernel';
import type { PolicyKey } from '#ledger';
import { AdminActions } from '../admin/admin-actions.ts';
import { AdminQueries } from '../admin/admin-queries.ts';
import { OperatorAction } from '../admin/operator-action.decorator.ts';
import { PolicyValues } from '../admin/policy-values.ts';
import { QueryError } from '../admin/query-error.ts';
import { ProblemError } from '../http/problem-error.ts';
import { AnswerInterceptor } from './answer.interceptor.ts';
import { type Asked, AskedOf } from './asked.decorator.ts';
import { type Listing, listing } from './listing.ts';
import { OperationRoute } from './operation-route.decorator.ts';
import {
  answerOf,
  toDecision,
  toDecisionDetails,
  toPolicy,
  toPolicyDetails,
  toScalingEvent,
  toSyncResult,
} from './wire-forms.ts';

type Of<Id extends keyof typeof operations> = Asked<(typeof operations)[Id]>;

/** Policies in force, and what happened under each. */
@Controller(apiPrefix)
@UseInterceptors(AnswerInterceptor)
export class PoliciesController {
  readonly #queries: AdminQueries;
  readonly #actions: AdminActions;
  readonly #values: PolicyValues;

  constructor(queries: AdminQueries, actions: AdminActions, values: PolicyValues) {
    this.#queries = queries;
    this.#actions = actions;
    this.#values = values;
  }

  @OperationRoute(operations.listPolicies)
  listPolicies(@AskedOf() { principal, query, whenLeft }: Of<'listPolicies'>): Listing<Policy> {
    const filter = { namespaces: query.namespace, states: query.state, signal: whenLeft() };
    return listing(query, (page) => this.#queries.listPolicies(principal, page, filter), toPolicy);
  }

  @OperationRoute(operations.getPolicy)
  async getPolicy(@AskedOf() { principal, parameters }: Of<'getPolicy'>): Promise<PolicyDetails> {
    const found = await this.#queries.findPolicy(principal, parameters);
    if (found !== null) return toPolicyDetails(found);
    throw notInForce(parameters);
  }

  @OperationRoute(operations.getEffectiveValues)
  async getEffectiveValues(
    @AskedOf() { principal, parameters, query }: Of<'getEffectiveValues'>,
  ): Promise<EffectiveValues> {
    if (query.time === undefined) {
      const found = await this.#queries.findPolicy(principal, parameters);
      if (found === null) throw notInForce(parameters);
      return { values: this.#values.ofActive(found.active) };
    }
    const version = await this.#queries.findPolicyAt(principal, parameters, query.time);
    if (version === undefined) throw notInForce(parameters, ` at ${query.time}`);
    return { values: await this.#values.ofVersion(version) };
  }

  @OperationRoute(operations.getFleet)
  getFleet(@AskedOf() { principal }: Of<'getFleet'>): Promise<Fleet> {
    return this.#queries.fleet(principal);
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

  @OperationRoute(operations.releasePolicy)
  @OperatorAction('ReleasePolicy')
  async releasePolicy(@AskedOf() asked: Of<'releasePolicy'>): Promise<SyncResult | ActionPreview> {
    const { principal, parameters, query, body } = asked;
    const policy = namespacedName(parameters);
    return answerOf(await this.#actions.release({ principal, policy, ...query, ...body }), toSyncResult);
  }

  @OperationRoute(operations.resumePolicy)
  @OperatorAction('ResumeSource')
  async resumePolicy(@AskedOf() asked: Of<'resumePolicy'>): Promise<SyncResult | ActionPreview> {
    const { principal, parameters, query, body } = asked;
    const policy = namespacedName(parameters);
    return answerOf(await this.#actions.resume({ principal, policy, ...query, ...body }), toSyncResult);
  }
}

function notInForce(policy: PolicyKey, when = ''): QueryError {
  const verb = when === '' ? 'is' : 'was';
  return new QueryError('UnknownPolicy', `no policy ${namespacedName(policy)} ${verb} in force${when}`);
}
