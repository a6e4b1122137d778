import { Controller, UseInterceptors } from '@nestjs/common';
import { apiPrefix, type Intervention, operations } from '#contracts';
import { InterventionActions } from '../admin/intervention-actions.ts';
import { OperatorAction } from '../auth/operator-action.decorator.ts';
import { AnswerInterceptor } from './answer.interceptor.ts';
import { type Asked, AskedOf } from './asked.decorator.ts';
import { type Listing, listing, pageOfAll } from './listing.ts';
import { OperationRoute } from './operation-route.decorator.ts';
import { toIntervention } from './wire-forms.ts';

type Of<Id extends keyof typeof operations> = Asked<(typeof operations)[Id]>;

/** Suspensions and overrides. */
@Controller(apiPrefix)
@UseInterceptors(AnswerInterceptor)
export class InterventionsController {
  readonly #actions: InterventionActions;

  constructor(actions: InterventionActions) {
    this.#actions = actions;
  }

  @OperationRoute(operations.listInterventions)
  listInterventions(@AskedOf() { principal, query }: Of<'listInterventions'>): Listing<Intervention> {
    return listing(
      query,
      (page) => pageOfAll(this.#actions.list(principal), page, ({ id }) => id),
      toIntervention,
    );
  }

  @OperationRoute(operations.beginIntervention)
  @OperatorAction(({ kind }) => (kind === 'Override' ? 'OverrideReplicas' : 'SuspendScaling'))
  async beginIntervention(@AskedOf() { principal, body }: Of<'beginIntervention'>): Promise<Intervention> {
    if (body.kind === 'Suspend') {
      const { scope, direction, expires, reason } = body;
      const { kind, ...names } = scope;
      const request = { principal, scope: kind, ...names, direction, expires, reason };
      return toIntervention(await this.#actions.suspend(request));
    }
    const { policy, minReplicas, maxReplicas, replicas, expires, reason } = body;
    const counts = { minReplicas, maxReplicas, replicas };
    return toIntervention(await this.#actions.override({ principal, ...policy, ...counts, expires, reason }));
  }

  @OperationRoute(operations.endIntervention)
  @OperatorAction('EndIntervention')
  async endIntervention(@AskedOf() asked: Of<'endIntervention'>): Promise<Intervention> {
    const { principal, parameters, query } = asked;
    const request = { principal, ...parameters, ...query };
    const found = this.#actions.list(principal).find(({ id }) => id === parameters.id);
    return toIntervention(
      await (found?.intervention.kind === 'Override'
        ? this.#actions.endOverride(request)
        : this.#actions.endSuspension(request)),
    );
  }
}
