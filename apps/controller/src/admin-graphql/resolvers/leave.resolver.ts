import { Args, Context, Query, Resolver } from '@nestjs/graphql';
import { OperatorAction } from '../../admin/access/operator-action.decorator.ts';
import { LeaveActions } from '../../admin/actions/leave-actions.ts';
import { Roles } from '../../auth/callers/roles.decorator.ts';
import type { RequestContext } from '../server/graphql-options.ts';
import type { ActionPreview } from '../types/action-effect.type.ts';
import { answerOf } from '../types/action-result.ts';
import { type Connection, pageConnection } from '../types/connection.ts';
import {
  LeaveAction,
  LeaveArguments,
  type LeaveReport,
  LeavingArguments,
  type LeavingPolicy,
  LeavingPolicyConnection,
} from '../types/leave.type.ts';
import { ActionMutation } from './action-mutation.decorator.ts';

/** The way out for all policies at once. */
@Resolver()
export class LeaveResolver {
  readonly #leaving: LeaveActions;

  constructor(leaving: LeaveActions) {
    this.#leaving = leaving;
  }

  @Roles('viewer')
  @Query(() => LeavingPolicyConnection, {
    description: 'What each policy would be left to by `releaseAll`, or has been left to, by name.',
  })
  async leavingPolicies(
    @Context() { principal, budget }: RequestContext,
    @Args() { to, ...page }: LeavingArguments,
  ): Promise<Connection<LeavingPolicy>> {
    return pageConnection(await this.#leaving.list(principal, page, to), (policy) => budget.spend(policy));
  }

  @ActionMutation(
    'admin',
    () => LeaveAction,
    'Takes all policies out of force, leaves their targets to plain HPAs or as they are, and ends all interventions.',
  )
  @OperatorAction('ReleaseAll')
  async releaseAll(
    @Args() args: LeaveArguments,
    @Context() { principal }: RequestContext,
  ): Promise<LeaveReport | ActionPreview> {
    return answerOf(await this.#leaving.leave({ principal, ...args }), (report) => report);
  }
}
