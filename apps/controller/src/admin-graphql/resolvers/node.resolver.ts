import { Args, Context, ID, Query, Resolver } from '@nestjs/graphql';
import { parseEntryId } from '#ledger';
import { AuditTimeline } from '../../admin/history/audit-timeline.ts';
import { Roles } from '../../auth/callers/roles.decorator.ts';
import type { RequestContext } from '../server/graphql-options.ts';
import { Node } from '../types/audit-entry.type.ts';
import { toAuditEntry } from '../types/entry-forms.ts';
import { PresentNodes } from './present-nodes.ts';

/** What has an id. */
@Resolver()
export class NodeResolver {
  readonly #timeline: AuditTimeline;
  readonly #present: PresentNodes;

  constructor(timeline: AuditTimeline, present: PresentNodes) {
    this.#timeline = timeline;
    this.#present = present;
  }

  @Roles('viewer')
  @Query(() => Node, {
    nullable: true,
    description: 'What has this id: an entry, a policy in force, a source, or an intervention that stands.',
  })
  async node(
    @Context() { principal }: RequestContext,
    @Args('id', { type: () => ID, description: 'The `id` of any Node: `policy:shop/checkout#12`.' })
    id: string,
  ): Promise<Node | null> {
    if (parseEntryId(id) === null) return this.#present.find(principal, id);
    const entry = await this.#timeline.findEntry(principal, id, { isWithoutObservations: true });
    return entry === null ? null : toAuditEntry(entry);
  }
}
