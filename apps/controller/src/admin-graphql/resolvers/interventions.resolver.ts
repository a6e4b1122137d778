import { Args, Context, Parent, Query, ResolveField, Resolver } from '@nestjs/graphql';
import { OperatorAction } from '../../admin/access/operator-action.decorator.ts';
import { InterventionActions } from '../../admin/actions/intervention-actions.ts';
import type { Role } from '../../auth/callers/principal.ts';
import { Roles } from '../../auth/callers/roles.decorator.ts';
import type { RequestContext } from '../server/graphql-options.ts';
import type { ActionPreview } from '../types/action-effect.type.ts';
import { answerOf } from '../types/action-result.ts';
import {
  DryRunArguments,
  InterventionAction,
  InterventionEndArguments,
  OverrideArguments,
  SuspensionArguments,
} from '../types/intervention.args.ts';
import { Intervention, toBegunIntervention, toIntervention } from '../types/intervention.type.ts';
import { RoleName } from '../types/role.enum.ts';
import { ActionMutation } from './action-mutation.decorator.ts';

/** Suspensions, overrides and dry runs. */
@Resolver(() => Intervention)
export class InterventionsResolver {
  readonly #actions: InterventionActions;

  constructor(actions: InterventionActions) {
    this.#actions = actions;
  }

  @Roles('viewer')
  @Query(() => [Intervention], {
    description:
      'The suspensions, overrides and dry runs that have begun and not ended, by their beginning; at most 910, beside those of the fleet brake.',
  })
  interventions(@Context() { principal }: RequestContext): readonly Intervention[] {
    return this.#actions.list(principal).map(toIntervention);
  }

  @ResolveField(() => [RoleName], {
    description:
      'The roles that the caller has in every namespace that it is for. Operator ends it; without, `scope` says whose it is.',
  })
  viewerRoles(
    @Parent() { standingScope }: Intervention,
    @Context() { principal }: RequestContext,
  ): readonly Role[] {
    return this.#actions.rolesIn(principal, standingScope);
  }

  @ActionMutation('operator', () => InterventionAction, 'Stops a direction of scaling, until it expires.')
  @OperatorAction('SuspendScaling')
  async suspendScaling(
    @Args() args: SuspensionArguments,
    @Context() { principal }: RequestContext,
  ): Promise<Intervention | ActionPreview> {
    return answerOf(await this.#actions.suspend({ principal, ...args }), toBegunIntervention);
  }

  @ActionMutation('operator', () => InterventionAction, 'Ends a suspension before it expires.')
  @OperatorAction('EndSuspension')
  async endSuspension(
    @Args() args: InterventionEndArguments,
    @Context() { principal }: RequestContext,
  ): Promise<Intervention | ActionPreview> {
    return answerOf(await this.#actions.endSuspension({ principal, ...args }), toIntervention);
  }

  @ActionMutation(
    'operator',
    () => InterventionAction,
    'Replaces the minimum, the maximum or the count of one policy, until it expires. Below half of the present count, or of the one from which steps of the last hour lowered it: role approver, and the digest of the dry run as `confirm`.',
  )
  @OperatorAction('OverrideReplicas')
  async overrideReplicas(
    @Args() args: OverrideArguments,
    @Context() { principal }: RequestContext,
  ): Promise<Intervention | ActionPreview> {
    return answerOf(await this.#actions.override({ principal, ...args }), toBegunIntervention);
  }

  @ActionMutation('operator', () => InterventionAction, 'Ends an override before it expires.')
  @OperatorAction('EndOverride')
  async endOverride(
    @Args() args: InterventionEndArguments,
    @Context() { principal }: RequestContext,
  ): Promise<Intervention | ActionPreview> {
    return answerOf(await this.#actions.endOverride({ principal, ...args }), toIntervention);
  }

  @ActionMutation(
    'operator',
    () => InterventionAction,
    'Lets policies decide and write nothing, until it expires. Where the native controller scales, it is refused: suspend instead.',
  )
  @OperatorAction('StartDryRun')
  async startDryRun(
    @Args() args: DryRunArguments,
    @Context() { principal }: RequestContext,
  ): Promise<Intervention | ActionPreview> {
    return answerOf(await this.#actions.startDryRun({ principal, ...args }), toBegunIntervention);
  }

  @ActionMutation(
    'operator',
    () => InterventionAction,
    "Ends an operator's dry run before it expires; a dry run of a document stays.",
  )
  @OperatorAction('EndDryRun')
  async endDryRun(
    @Args() args: InterventionEndArguments,
    @Context() { principal }: RequestContext,
  ): Promise<Intervention | ActionPreview> {
    return answerOf(await this.#actions.endDryRun({ principal, ...args }), toIntervention);
  }
}
