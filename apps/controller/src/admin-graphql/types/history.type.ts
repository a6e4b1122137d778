import { Field, Int, ObjectType } from '@nestjs/graphql';
import type { Action } from '#decision';
import type { BlamePart } from '../../admin/access/not-visible.ts';
import type { Blame as BlameRecord } from '../../admin/history/blame.ts';
import { AuditEntry } from './audit-entry.type.ts';
import { Commit } from './commit.type.ts';
import { Decision, DecisionAction, DecisionMetric, DecisionStep } from './decision.type.ts';
import { DecisionRun } from './entries.type.ts';
import { enumOf } from './enum-of.ts';
import { CommitReview, PolicyChange, SyncRun } from './events.type.ts';
import { PolicyName } from './policy-name.type.ts';
import { CommitSignature, PolicyVersion, Revision } from './revision.type.ts';

/** What an operator did to let something into force, or to let it leave. */
@ObjectType({
  description: 'What an operator did without which something would not have come into force, or left it.',
})
export class AllowingAction {
  @Field(() => String, {
    description:
      'ApproveHold, RollBackSource or ResumeSource (of the source, or of the policy alone): as its OperatorAction is named.',
  })
  declare action: string;

  @Field(() => String, { description: 'The person that did it, whichever token it came with.' })
  declare by: string;

  @Field(() => String, {
    description: 'What that person wrote; empty where an earlier release resumed, and kept none.',
  })
  declare reason: string;

  @Field(() => String, {
    nullable: true,
    description: 'When it was done, RFC 3339; null where an earlier release resumed, and kept none.',
  })
  declare time: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'Of the hold that was approved; null: it was another action.',
  })
  declare digest: string | null;
}

const BlamePartName = enumOf<BlamePart>(
  'BlamePart',
  'A part of what stands behind a decision that wants more than a role in the policy’s namespace.',
  {
    Revision: 'The judgement by which the version came into force, with its signatures.',
    AllowedBy: 'What operators did to let it into force.',
    Sync: 'The run that put it into force.',
    Review: 'What the forge said of who allowed the commit.',
  },
);

/** A part that the caller may not see. */
@ObjectType({
  description:
    'A part that is left out since the caller may not see it, whether or not there is anything to see.',
})
export class NotVisible {
  @Field(() => BlamePartName, { description: 'What is left out.' })
  declare part: BlamePart;

  @Field(() => String, {
    nullable: true,
    description: 'The source whose namespaces it is about; null: all namespaces there are.',
  })
  declare source: string | null;

  @Field(() => String, {
    description: 'Which role would show it, where: needs viewer of all namespaces of source policies.',
  })
  declare message: string;
}

/** Everything that stands behind a decision. */
@ObjectType({
  description:
    'What stands behind a decision, and what followed from it: the policy as it was, the commit that brought it and who allowed that, the sync that took it up, and the writes to Kubernetes.',
})
export class Blame {
  @Field(() => Commit, { nullable: true, description: 'The commit; its `pullRequest` says who approved it.' })
  declare commit: Commit | null;

  @Field(() => [CommitSignature], { description: 'Of that commit, where its source verifies any.' })
  declare signatures: readonly CommitSignature[];

  @Field(() => PolicyVersion, { nullable: true, description: 'The policy as it was in force.' })
  declare version: PolicyVersion | null;

  @Field(() => PolicyChange, { nullable: true, description: 'How that version came into force.' })
  declare change: PolicyChange | null;

  @Field(() => Revision, {
    nullable: true,
    description:
      'The judgement by which that version came into force; after a rollback that of the commit gone back to. Null: it is not known, or the caller may not view all of its source.',
  })
  declare revision: Revision | null;

  @Field(() => [AllowingAction], {
    nullable: true,
    description:
      'What operators did without which that version would not have come into force: approvals of holds, a rollback, a resumption. Empty: nothing was needed. Null: an earlier release put it into force and did not keep it, it is not known, or the caller may not view all of its source.',
  })
  declare allowedBy: readonly AllowingAction[] | null;

  @Field(() => SyncRun, {
    nullable: true,
    description:
      'The sync, or the rollback, that put that version into force; null: it is not recorded, or the caller may not view every namespace.',
  })
  declare sync: SyncRun | null;

  @Field(() => CommitReview, {
    nullable: true,
    description:
      'What the forge said of who allowed the commit; null: it is not recorded, or the caller may not view every namespace.',
  })
  declare review: CommitReview | null;

  @Field(() => [NotVisible], {
    description:
      'Which of these are null, and signatures empty, since the caller may not see them; empty: none is.',
  })
  declare notVisible: readonly NotVisible[];

  @Field(() => [AuditEntry], {
    description: 'ScalingIntent or ActuationIntent: what was announced to be written.',
  })
  declare intents: readonly AuditEntry[];

  @Field(() => [AuditEntry], {
    description: 'ScalingEvent, ScalingFailure or ActuationOutcome: what became of it.',
  })
  declare outcomes: readonly AuditEntry[];

  /** No field of the schema. */
  declare record: Pick<BlameRecord, 'decision' | 'version'>;
}

/** The decisions on both sides of a moment. */
@ObjectType({ description: 'The decisions on both sides of a moment.' })
export class DecisionsAround {
  @Field(() => [Decision], { description: 'At that moment or before, newest first: the first was in force.' })
  declare before: readonly Decision[];

  @Field(() => [Decision], { description: 'Those after that moment, oldest first.' })
  declare after: readonly Decision[];

  @Field(() => DecisionRun, {
    nullable: true,
    description:
      'The passes that repeated the decision in force; null: none did, or they are not recorded yet.',
  })
  declare run: DecisionRun | null;
}

/** A policy whose count went up and down. */
@ObjectType({ description: 'A policy whose count went up and down.' })
export class FlappingPolicy {
  @Field(() => PolicyName, { description: 'The policy whose count went to and fro.' })
  declare policy: PolicyName;

  @Field(() => Int, { description: 'How often a change went the other way than the one before it.' })
  declare reversals: number;

  @Field(() => Int, { description: 'How often its count changed in that time.' })
  declare changes: number;

  @Field(() => Int, { description: 'The smallest count that it had.' })
  declare lowest: number;

  @Field(() => Int, { description: 'The largest count that it had.' })
  declare highest: number;
}

/** The policies that flap. */
@ObjectType({ description: 'The policies that flap, those with the most reversals first; at most 100.' })
export class FlappingPolicies {
  @Field(() => [FlappingPolicy], { description: 'Those with the most reversals first, at most 100.' })
  declare policies: readonly FlappingPolicy[];

  @Field(() => Boolean, {
    description: 'false: the newest 20,000 changes were looked through, and there were more.',
  })
  declare isComplete: boolean;
}

/** What would be decided with other bounds. */
@ObjectType({ description: 'What would be decided with other bounds; nothing is written.' })
export class DryDecision {
  @Field(() => Decision, { description: 'What was decided last, on the same observation.' })
  declare recorded: Decision;

  @Field(() => DecisionAction, { description: 'What would follow for the count.' })
  declare action: Action;

  @Field(() => Int, { nullable: true, description: 'The count that would be decided; null: none could be.' })
  declare desiredReplicas: number | null;

  @Field(() => String, { description: 'Why, in one sentence.' })
  declare reason: string;

  @Field(() => [DecisionMetric], { description: 'What each metric would propose.' })
  declare metrics: DecisionMetric[];

  @Field(() => [DecisionStep], {
    description: 'The complete waterfall, to be compared with that of `recorded`.',
  })
  declare steps: DecisionStep[];
}
