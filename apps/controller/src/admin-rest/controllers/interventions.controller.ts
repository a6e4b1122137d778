import { Controller, UseInterceptors } from '@nestjs/common';
import {
  type ActionPreview,
  apiPrefix,
  type BegunIntervention,
  type Intervention,
  operations,
} from '#contracts';
import type { StandingIntervention } from '#ledger';
import { OperatorAction } from '../../admin/access/operator-action.decorator.ts';
import { InterventionActions } from '../../admin/actions/intervention-actions.ts';
import type { InterventionEnd } from '../../admin/effects/intervention-requests.ts';
import type { Answer } from '../../admin/requests/action-effect.ts';
import type { OperatorActionName } from '../../admin/requests/operator-action-name.ts';
import { QueryError } from '../../admin/requests/query-error.ts';
import { toIntervention } from '../../refusals/effect-forms.ts';
import { AnswerInterceptor } from '../answers/answer.interceptor.ts';
import { type Asked, AskedOf } from '../answers/asked.decorator.ts';
import { type Listing, listing, pageOfAll } from '../answers/listing.ts';
import { OperationRoute } from '../answers/operation-route.decorator.ts';
import { answerOf, toBegunIntervention } from '../answers/wire-forms.ts';

type Of<Id extends keyof typeof operations> = Asked<(typeof operations)[Id]>;

/** Suspensions, overrides and dry runs. */
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
      (page) => pageOfAll(this.#actions.list(principal, query), page, { list: 'interventions', keyOf }),
      toIntervention,
    );
  }

  @OperationRoute(operations.getIntervention)
  getIntervention(@AskedOf() { principal, parameters }: Of<'getIntervention'>): Intervention {
    const found = this.#actions.list(principal).find(({ id }) => id === parameters.id);
    if (found !== undefined) return toIntervention(found);
    throw new QueryError('UnknownIntervention', `no intervention ${parameters.id} stands`);
  }

  @OperationRoute(operations.beginIntervention)
  @OperatorAction(({ kind }) => beginnings.get(kind) ?? 'SuspendScaling')
  async beginIntervention(
    @AskedOf() { principal, query, body }: Of<'beginIntervention'>,
  ): Promise<BegunIntervention | ActionPreview> {
    if (body.kind === 'Override') {
      const { policy, minReplicas, maxReplicas, replicas, force, expires, reason } = body;
      const counts = { minReplicas, maxReplicas, replicas, force, expires, reason };
      return answerOf(
        await this.#actions.override({ principal, ...query, ...policy, ...counts }),
        toBegunIntervention,
      );
    }
    const { scope, expires, reason } = body;
    const { kind, ...names } = scope;
    const request = { principal, ...query, scope: kind, ...names, expires, reason };
    return answerOf(
      await (body.kind === 'Suspend'
        ? this.#actions.suspend({ ...request, direction: body.direction })
        : this.#actions.startDryRun(request)),
      toBegunIntervention,
    );
  }

  @OperationRoute(operations.endIntervention)
  @OperatorAction('EndIntervention')
  async endIntervention(@AskedOf() asked: Of<'endIntervention'>): Promise<Intervention | ActionPreview> {
    const { principal, parameters, requireState } = asked;
    const { kind, ...query } = asked.query;
    const request = { principal, ...parameters, ...query };
    const found = this.#actions.list(principal).find(({ id }) => id === parameters.id);
    if (found !== undefined) requireState(toIntervention(found));
    return answerOf(await this.#end(kind ?? found?.intervention.kind, request), toIntervention);
  }

  #end(
    kind: StandingIntervention['intervention']['kind'] | undefined,
    request: InterventionEnd,
  ): Promise<Answer<StandingIntervention>> {
    if (kind === 'Override') return this.#actions.endOverride(request);
    return kind === 'DryRun' ? this.#actions.endDryRun(request) : this.#actions.endSuspension(request);
  }
}

/** What the ledger calls the beginning of each kind. */
const beginnings: ReadonlyMap<unknown, OperatorActionName> = new Map([
  ['Suspend', 'SuspendScaling'],
  ['Override', 'OverrideReplicas'],
  ['DryRun', 'StartDryRun'],
]);
/** By its beginning. */
function keyOf({ id, intervention }: StandingIntervention): string {
  return `${intervention.since ?? ''} ${id}`;
}
