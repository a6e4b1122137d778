import { Args, Context, Query, Resolver } from '@nestjs/graphql';
import { AuditTimeline } from '../../admin/history/audit-timeline.ts';
import { CheckpointStatus } from '../../admin/history/checkpoint-status.ts';
import { Roles } from '../../auth/callers/roles.decorator.ts';
import type { RequestContext } from '../server/graphql-options.ts';
import type { AuditEntry } from '../types/audit-entry.type.ts';
import { type Connection, PageArguments, pageConnection } from '../types/connection.ts';
import { AuditEntryConnection } from '../types/entries.type.ts';
import { toAuditEntry } from '../types/entry-forms.ts';
import { AuditFilterInput } from '../types/filters.args.ts';
import { given } from '../types/given.ts';
import { LedgerSeal } from '../types/ledger-seal.type.ts';

/** The ledger as one timeline, and how far it is sealed. */
@Resolver()
export class AuditResolver {
  readonly #timeline: AuditTimeline;
  readonly #checkpoints: CheckpointStatus;

  constructor(timeline: AuditTimeline, checkpoints: CheckpointStatus) {
    this.#timeline = timeline;
    this.#checkpoints = checkpoints;
  }

  @Roles('viewer')
  @Query(() => AuditEntryConnection, {
    description: 'Everything that is recorded, of all kinds in one timeline, newest first.',
  })
  async auditEntries(
    @Context() { principal }: RequestContext,
    @Args() page: PageArguments,
    @Args('where', {
      type: () => AuditFilterInput,
      nullable: true,
      description: 'Which of them; left out: all.',
    })
    where?: AuditFilterInput | null,
  ): Promise<Connection<AuditEntry>> {
    return pageConnection(
      await this.#timeline.listAuditEntries(principal, page, {
        ...given(where ?? {}),
        isWithoutObservations: true,
      }),
      toAuditEntry,
    );
  }

  @Roles('viewer')
  @Query(() => LedgerSeal, {
    nullable: true,
    description: 'How far the ledger is sealed; null: the caller may not view every namespace.',
  })
  async ledgerSeal(@Context() { principal }: RequestContext): Promise<LedgerSeal | null> {
    return this.#checkpoints.find(principal);
  }
}
