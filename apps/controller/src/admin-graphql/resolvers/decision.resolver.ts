import { Context, Parent, ResolveField, Resolver } from '@nestjs/graphql';
import { isJsonObject, type Json } from '#kernel';
import { BlameQueries } from '../../admin/history/blame.ts';
import { LedgerQueries } from '../../admin/history/ledger-queries.ts';
import type { RequestContext } from '../server/graphql-options.ts';
import { Decision } from '../types/decision.type.ts';
import { toAuditEntry, toCommitReview, toDecision, toPolicyChange, toSyncRun } from '../types/entry-forms.ts';
import { Blame } from '../types/history.type.ts';
import { JsonScalar } from '../types/json.scalar.ts';
import { toPolicyVersion, toRevision } from '../types/revision.type.ts';

/** The part of a decision that may be megabytes, and what stands behind it. */
@Resolver(() => Decision)
export class DecisionResolver {
  readonly #blame: BlameQueries;
  readonly #queries: LedgerQueries;

  constructor(blame: BlameQueries, queries: LedgerQueries) {
    this.#blame = blame;
    this.#queries = queries;
  }

  /** Decisions come without what was observed: it is read here, for those that ask for it. */
  @ResolveField(() => JsonScalar)
  async input(
    @Parent() { id, input }: Decision,
    @Context() { budget, principal }: RequestContext,
  ): Promise<Json> {
    if (!isWithoutObservation(input)) return budget.spend(input);
    const whole = await this.#queries.findDecision(principal, id);
    return budget.spend(whole === null ? input : toDecision(whole).input);
  }

  @ResolveField(() => Blame, {
    nullable: true,
    description: 'Who allowed it, and what was written: from the policy’s commit to Kubernetes.',
  })
  async blame(@Parent() { id }: Decision, @Context() { principal }: RequestContext): Promise<Blame | null> {
    const found = await this.#blame.blame(principal, id);
    if (found === null) return null;
    const { decision, version, change, revision, allowedBy, notVisible, sync, review } = found;
    const { commit } = decision.payload;
    const record = revision === null ? null : toRevision(revision);
    return {
      commit,
      signatures: record?.signatures.filter((signature) => signature.commit === commit?.hash) ?? [],
      version: version === null ? null : toPolicyVersion(version),
      change: change === null ? null : toPolicyChange(change),
      revision: record,
      allowedBy,
      notVisible,
      sync: sync === null ? null : toSyncRun(sync),
      review: review === null ? null : toCommitReview(review),
      intents: found.intents.map(toAuditEntry),
      outcomes: found.outcomes.map(toAuditEntry),
      record: found,
    };
  }
}

function isWithoutObservation(input: Json): boolean {
  return isJsonObject(input) && input['observation'] === null;
}
