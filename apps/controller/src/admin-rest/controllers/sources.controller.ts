import { Controller, UseInterceptors } from '@nestjs/common';
import {
  type ActionPreview,
  apiPrefix,
  type ListedHold,
  operations,
  type Revision,
  type Source,
  type SyncResult,
} from '#contracts';
import { OperatorAction } from '../../admin/access/operator-action.decorator.ts';
import { AdminActions } from '../../admin/actions/admin-actions.ts';
import { ChangeEffects } from '../../admin/effects/change-effects.ts';
import { QueryError } from '../../admin/requests/query-error.ts';
import type { VisibleSource } from '../../admin/sources/source-access.ts';
import { SourceQueries } from '../../admin/sources/source-queries.ts';
import type { Principal } from '../../auth/callers/principal.ts';
import { AnswerInterceptor } from '../answers/answer.interceptor.ts';
import { type Asked, AskedOf } from '../answers/asked.decorator.ts';
import { type Listing, listing, pageOfAll } from '../answers/listing.ts';
import { OperationRoute } from '../answers/operation-route.decorator.ts';
import { answerOf, toHold, toRevision, toSource, toSyncResult } from '../answers/wire-forms.ts';

/** A hold, and the name of its source. */
interface HoldOfSource {
  readonly source: string;
  readonly hold: VisibleSource['holds'][number];
}

type Of<Id extends keyof typeof operations> = Asked<(typeof operations)[Id]>;

/** Sources, their revisions and their holds. */
@Controller(apiPrefix)
@UseInterceptors(AnswerInterceptor)
export class SourcesController {
  readonly #queries: SourceQueries;
  readonly #actions: AdminActions;
  readonly #changes: ChangeEffects;

  constructor(queries: SourceQueries, actions: AdminActions, changes: ChangeEffects) {
    this.#queries = queries;
    this.#actions = actions;
    this.#changes = changes;
  }

  @OperationRoute(operations.listSources)
  listSources(@AskedOf() { principal, query }: Of<'listSources'>): Listing<Source> {
    return listing(
      query,
      (page) =>
        pageOfAll(this.#queries.listSources(principal), page, { list: 'sources', keyOf: ({ name }) => name }),
      toSource,
    );
  }

  @OperationRoute(operations.getSource)
  getSource(@AskedOf() { principal, parameters }: Of<'getSource'>): Source {
    return toSource(this.#sourceOf(principal, parameters.source));
  }

  @OperationRoute(operations.listRevisions)
  listRevisions(@AskedOf() { principal, parameters, query }: Of<'listRevisions'>): Listing<Revision> {
    const { name } = this.#sourceOf(principal, parameters.source);
    return listing(
      query,
      async (page) => {
        const revisions = await this.#queries.listRevisions(principal, page, name);
        return { items: revisions.map((item) => ({ item, cursor: item.commit.hash })), hasMore: false };
      },
      toRevision,
    );
  }

  @OperationRoute(operations.getRevision)
  async getRevision(@AskedOf() { principal, parameters }: Of<'getRevision'>): Promise<Revision> {
    const { name } = this.#sourceOf(principal, parameters.source);
    const found = await this.#queries.findRevision(principal, name, parameters.commit);
    if (found !== undefined) return toRevision(found);
    throw new QueryError('UnknownRevision', `${parameters.commit} is no revision of ${name} that is known`);
  }

  @OperationRoute(operations.listHolds)
  listHolds(@AskedOf() { principal, query }: Of<'listHolds'>): Listing<ListedHold> {
    const all = (): readonly HoldOfSource[] =>
      this.#queries
        .listSources(principal)
        .flatMap(({ name: source, holds }) => holds.map((hold) => ({ source, hold })));
    return listing(
      query,
      (page) =>
        pageOfAll(all(), page, { list: 'holds', keyOf: ({ source, hold }) => `${source}/${hold.digest}` }),
      ({ source, hold }) => ({
        ...toHold(source, hold),
        later: [...this.#changes.laterOf(source, hold.effect)],
      }),
    );
  }

  @OperationRoute(operations.syncSource)
  @OperatorAction('SyncSource')
  async syncSource(@AskedOf() asked: Of<'syncSource'>): Promise<SyncResult | ActionPreview> {
    const { principal, parameters, query } = asked;
    return answerOf(await this.#actions.sync({ principal, ...parameters, ...query }), toSyncResult);
  }

  @OperationRoute(operations.rollBackSource)
  @OperatorAction('RollBackSource')
  async rollBackSource(@AskedOf() asked: Of<'rollBackSource'>): Promise<SyncResult | ActionPreview> {
    return answerOf(await this.#actions.rollBack(flat(asked)), toSyncResult);
  }

  @OperationRoute(operations.resumeSource)
  @OperatorAction('ResumeSource')
  async resumeSource(@AskedOf() asked: Of<'resumeSource'>): Promise<SyncResult | ActionPreview> {
    return answerOf(await this.#actions.resume(flat(asked)), toSyncResult);
  }

  @OperationRoute(operations.approveHold)
  @OperatorAction('ApproveHold')
  async approveHold(@AskedOf() asked: Of<'approveHold'>): Promise<SyncResult | ActionPreview> {
    return answerOf(await this.#actions.approve(flat(asked)), toSyncResult);
  }

  @OperationRoute(operations.rejectHold)
  @OperatorAction('RejectHold')
  async rejectHold(@AskedOf() asked: Of<'rejectHold'>): Promise<Source | ActionPreview> {
    const { principal, parameters } = asked;
    return answerOf(await this.#actions.reject(flat(asked)), () =>
      toSource(this.#sourceOf(principal, parameters.source)),
    );
  }

  #sourceOf(principal: Principal, source: string): VisibleSource {
    const found = this.#queries.listSources(principal).find(({ name }) => name === source);
    if (found !== undefined) return found;
    throw new QueryError('UnknownSource', `no source is named ${JSON.stringify(source)}`);
  }
}

function flat<P extends object, Q extends object, B extends object>({
  principal,
  parameters,
  query,
  body,
}: {
  readonly principal: Principal;
  readonly parameters: P;
  readonly query: Q;
  readonly body: B;
}): P & Q & B & { readonly principal: Principal } {
  return { principal, ...parameters, ...query, ...body };
}
