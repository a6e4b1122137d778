import { Controller, UseInterceptors } from '@nestjs/common';
import { type ActionPreview, apiPrefix, type LeaveReport, type LeavingPolicy, operations } from '#contracts';
import { OperatorAction } from '../../admin/access/operator-action.decorator.ts';
import { LeaveActions } from '../../admin/actions/leave-actions.ts';
import { AnswerInterceptor } from '../answers/answer.interceptor.ts';
import { type Asked, AskedOf } from '../answers/asked.decorator.ts';
import { type Listing, listing } from '../answers/listing.ts';
import { OperationRoute } from '../answers/operation-route.decorator.ts';
import { answerOf } from '../answers/wire-forms.ts';

type Of<Id extends keyof typeof operations> = Asked<(typeof operations)[Id]>;

/** The way out for all policies at once. */
@Controller(apiPrefix)
@UseInterceptors(AnswerInterceptor)
export class LeaveController {
  readonly #leaving: LeaveActions;

  constructor(leaving: LeaveActions) {
    this.#leaving = leaving;
  }

  @OperationRoute(operations.listLeavingPolicies)
  listLeavingPolicies(@AskedOf() { principal, query }: Of<'listLeavingPolicies'>): Listing<LeavingPolicy> {
    return listing(
      query,
      (page) => this.#leaving.list(principal, page, query.to),
      (item) => item,
    );
  }

  @OperationRoute(operations.releaseAll)
  @OperatorAction('ReleaseAll')
  async releaseAll(
    @AskedOf() { principal, query, body }: Of<'releaseAll'>,
  ): Promise<LeaveReport | ActionPreview> {
    return answerOf(await this.#leaving.leave({ principal, ...query, ...body }), (report) => report);
  }
}
