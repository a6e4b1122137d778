import { Args, Context, Int, Parent, Query, ResolveField, Resolver } from '@nestjs/graphql';
import { namespacedName } from '#kernel';
import { OperatorAction } from '../../admin/access/operator-action.decorator.ts';
import { AdminActions } from '../../admin/actions/admin-actions.ts';
import { SourceQueries } from '../../admin/sources/source-queries.ts';
import { Roles } from '../../auth/callers/roles.decorator.ts';
import type { RequestContext } from '../server/graphql-options.ts';
import type { ActionPreview } from '../types/action-effect.type.ts';
import { answerOf } from '../types/action-result.ts';
import {
  PolicyVersion,
  Revision,
  RevisionDiagnostic,
  toPolicyVersion,
  toRevision,
} from '../types/revision.type.ts';
import {
  HoldArguments,
  PolicyAtArguments,
  ReleaseArguments,
  RollBackArguments,
  SourceArguments,
  SyncArguments,
} from '../types/source.args.ts';
import {
  HoldRejection,
  HoldRejectionAction,
  Source,
  SyncAction,
  SyncResult,
  toSource,
  toSyncResult,
} from '../types/source.type.ts';
import { ActionMutation } from './action-mutation.decorator.ts';

/** Sources and their revisions, and what operators and approvers do with them. */
@Resolver(() => Source)
export class SourcesResolver {
  readonly #queries: SourceQueries;
  readonly #actions: AdminActions;

  constructor(queries: SourceQueries, actions: AdminActions) {
    this.#queries = queries;
    this.#actions = actions;
  }

  @Roles('viewer')
  @Query(() => [Source], { description: 'The repositories that policies come from, as configured.' })
  sources(@Context() { principal }: RequestContext): readonly Source[] {
    return this.#queries.listSources(principal).map(toSource);
  }

  @ResolveField(() => [Revision], { description: 'Commits that were judged, newest first; at most 100.' })
  async revisions(
    @Parent() source: Source,
    @Args('first', { type: () => Int, defaultValue: 20, description: 'How many, 1 to 100.' }) first: number,
    @Context() { principal }: RequestContext,
  ): Promise<readonly Revision[]> {
    return (await this.#queries.listRevisions(principal, { first }, source.name)).map(toRevision);
  }

  @ResolveField(() => [Revision], {
    nullable: true,
    description:
      'The same, but null where the database does not answer, with the error at this place: the source itself is answered all the same.',
  })
  recentRevisions(
    @Parent() source: Source,
    @Args('first', { type: () => Int, defaultValue: 20, description: 'How many, 1 to 100.' }) first: number,
    @Context() context: RequestContext,
  ): Promise<readonly Revision[]> {
    return this.revisions(source, first, context);
  }

  @ResolveField(() => Revision, {
    nullable: true,
    description:
      'What a commit came to when it was judged last, however long ago; null: it never was, or the caller may not view every namespace of the source.',
  })
  async revision(
    @Parent() source: Source,
    @Args('commit', { description: 'Its full hash.' }) commit: string,
    @Context() { principal }: RequestContext,
  ): Promise<Revision | null> {
    const found = await this.#queries.findRevision(principal, source.name, commit);
    return found === undefined ? null : toRevision(found);
  }

  @ResolveField(() => [RevisionDiagnostic], {
    description:
      'What is wrong with a revision, errors, warnings and notes, with the lines; at most 200. None where it is not known.',
  })
  async diagnostics(
    @Parent() source: Source,
    @Args('commit', { description: 'The full hash of the revision.' }) commit: string,
    @Context() { principal }: RequestContext,
  ): Promise<readonly RevisionDiagnostic[]> {
    return this.#queries.listDiagnostics(principal, source.name, commit);
  }

  @Roles('viewer')
  @Query(() => PolicyVersion, {
    nullable: true,
    description: 'Which policy of that name was in force at a time, now or past.',
  })
  async policyAt(
    @Context() { principal }: RequestContext,
    @Args() { namespace, name, time }: PolicyAtArguments,
  ): Promise<PolicyVersion | null> {
    const version = await this.#queries.findPolicyAt(principal, { namespace, name }, time);
    return version === undefined ? null : toPolicyVersion(version);
  }

  @ActionMutation('operator', () => SyncAction, 'Looks at a source now.')
  @OperatorAction('SyncSource')
  async syncNow(
    @Args() args: SyncArguments,
    @Context() { principal }: RequestContext,
  ): Promise<SyncResult | ActionPreview> {
    return answerOf(await this.#actions.sync({ principal, ...args }), toSyncResult);
  }

  @ActionMutation(
    'approver',
    () => SyncAction,
    'Approves exactly one hold; who took part in it, or rejected it, may not.',
  )
  @OperatorAction('ApproveHold')
  async approveHold(
    @Args() args: HoldArguments,
    @Context() { principal }: RequestContext,
  ): Promise<SyncResult | ActionPreview> {
    return answerOf(await this.#actions.approve({ principal, ...args }), toSyncResult);
  }

  @ActionMutation('approver', () => HoldRejectionAction, 'Rejects one hold: what is in force stays.')
  @OperatorAction('RejectHold')
  async rejectHold(
    @Args() args: HoldArguments,
    @Context() { principal }: RequestContext,
  ): Promise<HoldRejection | ActionPreview> {
    return answerOf(await this.#actions.reject({ principal, ...args }), (rejected) => rejected);
  }

  @ActionMutation('approver', () => SyncAction, 'Takes a policy out of force, its count kept.')
  @OperatorAction('ReleasePolicy')
  async releasePolicy(
    @Args() args: ReleaseArguments,
    @Context() { principal }: RequestContext,
  ): Promise<SyncResult | ActionPreview> {
    const { namespace, name, ...request } = args;
    const policy = namespacedName({ namespace, name });
    return answerOf(await this.#actions.release({ principal, policy, ...request }), toSyncResult);
  }

  @ActionMutation(
    'operator',
    () => SyncAction,
    'Puts an earlier revision in force, also while Git is down, and holds the source there.',
  )
  @OperatorAction('RollBackSource')
  async rollBackSource(
    @Args() args: RollBackArguments,
    @Context() { principal }: RequestContext,
  ): Promise<SyncResult | ActionPreview> {
    return answerOf(await this.#actions.rollBack({ principal, ...args }), toSyncResult);
  }

  @ActionMutation('approver', () => SyncAction, 'Lets a source follow its ref again after a rollback.')
  @OperatorAction('ResumeSource')
  async resumeSource(
    @Args() args: SourceArguments,
    @Context() { principal }: RequestContext,
  ): Promise<SyncResult | ActionPreview> {
    return answerOf(await this.#actions.resume({ principal, ...args }), toSyncResult);
  }

  @ActionMutation(
    'approver',
    () => SyncAction,
    'Takes back the release of a policy: its document counts again.',
  )
  @OperatorAction('ResumeSource')
  async resumePolicy(
    @Args() args: ReleaseArguments,
    @Context() { principal }: RequestContext,
  ): Promise<SyncResult | ActionPreview> {
    const { namespace, name, ...request } = args;
    const policy = namespacedName({ namespace, name });
    return answerOf(await this.#actions.resume({ principal, policy, ...request }), toSyncResult);
  }
}
