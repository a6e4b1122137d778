import { Context, Parent, ResolveField, Resolver } from '@nestjs/graphql';
import { LedgerQueries } from '../../admin/history/ledger-queries.ts';
import type { RequestContext } from '../server/graphql-options.ts';
import { Decision } from '../types/decision.type.ts';
import { toDecision } from '../types/entry-forms.ts';
import { ScalingEvent } from '../types/events.type.ts';

/** Why it scaled. */
@Resolver(() => ScalingEvent)
export class ScalingEventResolver {
  readonly #queries: LedgerQueries;

  constructor(queries: LedgerQueries) {
    this.#queries = queries;
  }

  @ResolveField(() => Decision, {
    nullable: true,
    description: 'The decision that asked for it; null: none did, or it was not recorded.',
  })
  async decision(
    @Parent() { decisionId }: ScalingEvent,
    @Context() { principal }: RequestContext,
  ): Promise<Decision | null> {
    if (decisionId === null) return null;
    const entry = await this.#queries.findDecision(principal, decisionId, { isWithoutObservations: true });
    return entry === null ? null : toDecision(entry);
  }
}
