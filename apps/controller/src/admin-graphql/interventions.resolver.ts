import { Args, Context, Query, Resolver } from '@nestjs/graphql';
import { InterventionActions } from '../admin/intervention-actions.ts';
import { OperatorAction } from '../auth/operator-action.decorator.ts';
import { Roles } from '../auth/roles.decorator.ts';
import { ActionMutation } from './action-mutation.decorator.ts';
import type { RequestContext } from './graphql-options.ts';
import {
  Intervention,
  InterventionAction,
  InterventionEndArguments,
  OverrideArguments,
  SuspensionArguments,
  toIntervention,
} from './types/intervention.type.ts';

/** Suspensions and overrides. */
@Resolver(() => Intervention)
export class InterventionsResolver {
  readonly #actions: InterventionActions;

  constructor(actions: InterventionActions) {
    this.#actions = actions;
  }

  @Roles('viewer')
  @Query(() => [Intervention], {
    description:
      'The suspensions and overrides that have begun and not ended, by their beginning; at most 1,000.',
  })
  interventions(@Context() { principal }: RequestContext): readonly Intervention[] {
    return this.#actions.list(principal).map(toIntervention);
  }

  @ActionMutation('operator', () => InterventionAction, 'Stops a direction of scaling, until it expires.')
  @OperatorAction('SuspendScaling')
  async suspendScaling(
    @Args() args: SuspensionArguments,
    @Context() { principal }: RequestContext,
  ): Promise<Intervention> {
    return toIntervention(await this.#actions.suspend({ principal, ...args }));
  }

  @ActionMutation('operator', () => InterventionAction, 'Ends a suspension before it expires.')
  @OperatorAction('EndSuspension')
  async endSuspension(
    @Args() args: InterventionEndArguments,
    @Context() { principal }: RequestContext,
  ): Promise<Intervention> {
    return toIntervention(await this.#actions.endSuspension({ principal, ...args }));
  }

  @ActionMutation(
    'operator',
    () => InterventionAction,
    'Replaces the minimum, the maximum or the count of one policy, until it expires. Below half of the present count: role approver.',
  )
  @OperatorAction('OverrideReplicas')
  async overrideReplicas(
    @Args() args: OverrideArguments,
    @Context() { principal }: RequestContext,
  ): Promise<Intervention> {
    return toIntervention(await this.#actions.override({ principal, ...args }));
  }

  @ActionMutation('operator', () => InterventionAction, 'Ends an override before it expires.')
  @OperatorAction('EndOverride')
  async endOverride(
    @Args() args: InterventionEndArguments,
    @Context() { principal }: RequestContext,
  ): Promise<Intervention> {
    return toIntervention(await this.#actions.endOverride({ principal, ...args }));
  }
}
