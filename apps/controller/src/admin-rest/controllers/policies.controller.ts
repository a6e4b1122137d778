import { Controller, UseInterceptors } from '@nestjs/common';
import {
  type ActionPreview,
  apiPrefix,
  type Fleet,
  operations,
  type Policy,
  type PolicyDetails,
  type SyncResult,
} from '#contracts';
import { namespacedName } from '#kernel';
import { OperatorAction } from '../../admin/access/operator-action.decorator.ts';
import { AdminActions } from '../../admin/actions/admin-actions.ts';
import { PolicyQueries } from '../../admin/policies/policy-queries.ts';
import { AnswerInterceptor } from '../answers/answer.interceptor.ts';
import { type Asked, AskedOf } from '../answers/asked.decorator.ts';
import { type Listing, listing } from '../answers/listing.ts';
import { notInForce } from '../answers/not-in-force.ts';
import { OperationRoute } from '../answers/operation-route.decorator.ts';
import { answerOf, toPolicy, toPolicyDetails, toSyncResult } from '../answers/wire-forms.ts';

type Of<Id extends keyof typeof operations> = Asked<(typeof operations)[Id]>;

/** Policies in force, and what is done about one. */
@Controller(apiPrefix)
@UseInterceptors(AnswerInterceptor)
export class PoliciesController {
  readonly #queries: PolicyQueries;
  readonly #actions: AdminActions;

  constructor(queries: PolicyQueries, actions: AdminActions) {
    this.#queries = queries;
    this.#actions = actions;
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

  @OperationRoute(operations.getFleet)
  getFleet(@AskedOf() { principal }: Of<'getFleet'>): Promise<Fleet> {
    return this.#queries.fleet(principal);
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
