import { Context, Parent, ResolveField, Resolver } from '@nestjs/graphql';
import type { Json } from '#kernel';
import { BlameQueries } from '../admin/blame.ts';
import { toAuditEntry, toPolicyChange, toSyncRun } from './entry-forms.ts';
import type { RequestContext } from './graphql-options.ts';
import { Decision } from './types/decision.type.ts';
import { Blame } from './types/history.type.ts';
import { JsonScalar } from './types/json.scalar.ts';
import { toPolicyVersion, toRevision } from './types/revision.type.ts';

/** The part of a decision that may be megabytes, and what stands behind it. */
@Resolver(() => Decision)
export class DecisionResolver {
  readonly #blame: BlameQueries;

  constructor(blame: BlameQueries) {
    this.#blame = blame;
  }

  @ResolveField(() => JsonScalar)
  input(@Parent() { input }: Decision, @Context() { budget }: RequestContext): Json {
    return budget.spend(input);
  }

  @ResolveField(() => Blame, {
    nullable: true,
    description: 'Who allowed it, and what was written: from the policy’s commit to Kubernetes.',
  })
  async blame(@Parent() { id }: Decision, @Context() { principal }: RequestContext): Promise<Blame | null> {
    const found = await this.#blame.blame(principal, id);
    if (found === null) return null;
    const { decision, version, change, revision, sync, intents, outcomes } = found;
    const { commit } = decision.payload;
    const record = revision === null ? null : toRevision(revision);
    return {
      commit,
      signatures: record?.signatures.filter((signature) => signature.commit === commit?.hash) ?? [],
      version: version === null ? null : toPolicyVersion(version),
      change: change === null ? null : toPolicyChange(change),
      revision: record,
      sync: sync === null ? null : toSyncRun(sync),
      intents: intents.map(toAuditEntry),
      outcomes: outcomes.map(toAuditEntry),
    };
  }
}
