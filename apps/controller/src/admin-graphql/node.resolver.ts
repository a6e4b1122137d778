import { Args, Context, ID, Query, Resolver } from '@nestjs/graphql';
import { parseEntryId, policyOfStream } from '#ledger';
import { AdminQueries } from '../admin/admin-queries.ts';
import { AuditTimeline } from '../admin/audit-timeline.ts';
import { InterventionActions } from '../admin/intervention-actions.ts';
import type { Principal } from '../auth/principal.ts';
import { Roles } from '../auth/roles.decorator.ts';
import { toAuditEntry } from './entry-forms.ts';
import type { RequestContext } from './graphql-options.ts';
import { Node } from './types/audit-entry.type.ts';
import { toIntervention } from './types/intervention.type.ts';
import { toPolicy } from './types/policy.type.ts';
import { toSource } from './types/source.type.ts';

/** What has an id. */
@Resolver()
export class NodeResolver {
  readonly #timeline: AuditTimeline;
  readonly #queries: AdminQueries;
  readonly #interventions: InterventionActions;

  constructor(timeline: AuditTimeline, queries: AdminQueries, interventions: InterventionActions) {
    this.#timeline = timeline;
    this.#queries = queries;
    this.#interventions = interventions;
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
    if (parseEntryId(id) === null) return this.#present(principal, id);
    const entry = await this.#timeline.findEntry(principal, id, { isWithoutObservations: true });
    return entry === null ? null : toAuditEntry(entry);
  }

  /** What there is now. */
  async #present(caller: Principal, id: string): Promise<Node | null> {
    const policy = policyOfStream(id);
    if (policy !== null) {
      const view = await this.#queries.findPolicy(caller, policy);
      return view === null ? null : toPolicy(view);
    }
    const source = this.#queries.listSources(caller).find(({ name }) => id === `source:${name}`);
    if (source !== undefined) return toSource(source);
    const standing = this.#interventions.list(caller).find((each) => each.id === id);
    return standing === undefined ? null : toIntervention(standing);
  }
}
