import { Controller, UseInterceptors } from '@nestjs/common';
import { apiPrefix, type Blame, type DecisionSummary, operations, type PolicyVersion } from '#contracts';
import { AuditTimeline } from '../../admin/history/audit-timeline.ts';
import { type Blame as BlameRecord, BlameQueries } from '../../admin/history/blame.ts';
import { PolicyHistory } from '../../admin/history/policy-history.ts';
import type { Page, PageRequest } from '../../admin/requests/page.ts';
import { ProblemError } from '../../http/problem-error.ts';
import { AnswerInterceptor } from '../answers/answer.interceptor.ts';
import { type Asked, AskedOf } from '../answers/asked.decorator.ts';
import { type Listing, listing } from '../answers/listing.ts';
import { noDecision } from '../answers/no-decision.ts';
import { OperationRoute } from '../answers/operation-route.decorator.ts';
import { policyKeyOf } from '../answers/policy-key.ts';
import { type AllowedVersion, toBlame, toDecisionSummary, toPolicyVersion } from '../answers/wire-forms.ts';

type Of<Id extends keyof typeof operations> = Asked<(typeof operations)[Id]>;

/** Decisions and versions as they are recorded, and who allowed what. */
@Controller(apiPrefix)
@UseInterceptors(AnswerInterceptor)
export class AuditController {
  readonly #timeline: AuditTimeline;
  readonly #history: PolicyHistory;
  readonly #blame: BlameQueries;

  constructor(timeline: AuditTimeline, history: PolicyHistory, blame: BlameQueries) {
    this.#timeline = timeline;
    this.#history = history;
    this.#blame = blame;
  }

  @OperationRoute(operations.listDecisionSummaries)
  listDecisionSummaries(
    @AskedOf() { principal, query }: Of<'listDecisionSummaries'>,
  ): Listing<DecisionSummary> {
    const { namespace: namespaces, policy: text, action, from, until } = query;
    const policy = text === undefined ? undefined : policyKeyOf(text);
    const filter = { namespaces, policy, action, from, until };
    return listing(query, (page) => this.#timeline.listSummaries(principal, page, filter), toDecisionSummary);
  }

  @OperationRoute(operations.listPolicyVersions)
  listPolicyVersions(
    @AskedOf() { principal, parameters, query }: Of<'listPolicyVersions'>,
  ): Listing<PolicyVersion> {
    const load = async (page: PageRequest): Promise<Page<AllowedVersion>> => {
      const { items, hasMore } = await this.#history.listVersions(principal, page, parameters);
      const allowed = items.map(async ({ item: version, cursor }) => {
        const allowedBy = await this.#blame.allowedBy(principal, version);
        const removalAllowedBy = this.#blame.removalAllowedBy(principal, version);
        return { item: { version, allowedBy, removalAllowedBy }, cursor };
      });
      return { items: await Promise.all(allowed), hasMore };
    };
    return listing(query, load, toPolicyVersion);
  }

  @OperationRoute(operations.getPolicyBlame)
  async getPolicyBlame(@AskedOf() { principal, parameters }: Of<'getPolicyBlame'>): Promise<Blame> {
    const found = await this.#blame.blameOfLatest(principal, parameters);
    if (found !== null) return this.#wireForm(found);
    throw await noDecision(this.#history, principal, parameters);
  }

  @OperationRoute(operations.getBlame)
  async getBlame(@AskedOf() { principal, parameters }: Of<'getBlame'>): Promise<Blame> {
    const found = await this.#blame.blame(principal, parameters.id);
    if (found !== null) return this.#wireForm(found);
    throw new ProblemError({
      status: 404,
      code: 'UnknownDecision',
      detail: 'there is no decision of this id',
    });
  }

  async #wireForm(found: BlameRecord): Promise<Blame> {
    const [pullRequest, interventions] = await Promise.all([
      this.#blame.pullRequestOf(found),
      this.#blame.interventionsAt(found),
    ]);
    return toBlame(found, { pullRequest, interventions });
  }
}
