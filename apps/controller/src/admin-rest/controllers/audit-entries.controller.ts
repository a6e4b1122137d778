import { Controller, UseInterceptors } from '@nestjs/common';
import { apiPrefix, type AuditEntry, operations } from '#contracts';
import type { LedgerEntry } from '#ledger';
import { AuditTimeline } from '../../admin/history/audit-timeline.ts';
import { type InterventionEnding, InterventionEnds } from '../../admin/history/intervention-ends.ts';
import type { Page, PageRequest } from '../../admin/requests/page.ts';
import { ProblemError } from '../../http/problem-error.ts';
import { AnswerInterceptor } from '../answers/answer.interceptor.ts';
import { type Asked, AskedOf } from '../answers/asked.decorator.ts';
import { type Listing, listing } from '../answers/listing.ts';
import { OperationRoute } from '../answers/operation-route.decorator.ts';
import { policyKeyOf } from '../answers/policy-key.ts';
import { toAuditEntry } from '../answers/wire-forms.ts';

type Of<Id extends keyof typeof operations> = Asked<(typeof operations)[Id]>;

/** An entry, and how the intervention ended that it says has begun. */
interface EntryWithEnd {
  readonly entry: LedgerEntry;
  readonly end: InterventionEnding | null;
}

/** The ledger as one timeline. */
@Controller(apiPrefix)
@UseInterceptors(AnswerInterceptor)
export class AuditEntriesController {
  readonly #timeline: AuditTimeline;
  readonly #ends: InterventionEnds;

  constructor(timeline: AuditTimeline, ends: InterventionEnds) {
    this.#timeline = timeline;
    this.#ends = ends;
  }

  @OperationRoute(operations.listAuditEntries)
  listAuditEntries(@AskedOf() { principal, query }: Of<'listAuditEntries'>): Listing<AuditEntry> {
    const { kind: kinds, namespace: namespaces, policy: text, actor, commit, from, until } = query;
    const policy = text === undefined ? undefined : policyKeyOf(text);
    const filter = { kinds, namespaces, policy, actor, commit, from, until };
    const load = async (page: PageRequest): Promise<Page<EntryWithEnd>> => {
      const { items, hasMore } = await this.#timeline.listAuditEntries(principal, page, filter);
      const ended = items.map(async ({ item: entry, cursor }) => ({
        item: { entry, end: await this.#ends.ofEntry(entry) },
        cursor,
      }));
      return { items: await Promise.all(ended), hasMore };
    };
    return listing(query, load, ({ entry, end }) => toAuditEntry(entry, end));
  }

  @OperationRoute(operations.getAuditEntry)
  async getAuditEntry(@AskedOf() { principal, parameters }: Of<'getAuditEntry'>): Promise<AuditEntry> {
    const found = await this.#timeline.findEntry(principal, parameters.id, {
      isWithoutObservations: true,
    });
    if (found !== null) return toAuditEntry(found, await this.#ends.ofEntry(found));
    throw new ProblemError({ status: 404, code: 'UnknownEntry', detail: 'there is no entry of this id' });
  }
}
