import { Field, ID, Int, ObjectType } from '@nestjs/graphql';
import type { Json } from '#kernel';
import type {
  PolicyDeparture as Departure,
  ScalingEventPayload,
  StrategyField as ChangedField,
} from '#ledger';
import { AuditEntry, Node } from './audit-entry.type.ts';
import { Commit, PullRequest } from './commit.type.ts';
import { connectionOf } from './connection.ts';
import { enumOf } from './enum-of.ts';
import { JsonScalar } from './json.scalar.ts';
import { PolicyName } from './policy-name.type.ts';

/** How a policy left, for every type that says so. */
export const departureDescription = 'How it left; null: it did not.';

export const PolicyDeparture = enumOf<Departure>('PolicyDeparture', 'How a policy left.', {
  Pruned: 'Its document was deleted, or is no longer read.',
  Kept: 'The same, and pruning is disabled for it: HPA and count stay.',
  Released: 'An approver took it out of force by name.',
  RolledBack: 'The source went back to a revision that does not have it.',
  SourceRemoved: 'The configuration no longer names its source.',
});
export const StrategyField = enumOf<ChangedField>('StrategyField', 'What of a policy’s execution changed.', {
  selectionStrategy: 'How pods are told apart, as the policy asks and the feature gate allows.',
  actuation: 'Who writes the count: Plimsoll, or the native controller by an HPA.',
  algorithm: 'Which rules compute proposals, a word per metric.',
  enabled: 'Whether anything is decided.',
  adoption: 'Which manager an HPA was taken over from.',
});
export const ScalingOrigin = enumOf<ScalingEventPayload['origin']>('ScalingOrigin', 'Who changed a count.', {
  Plimsoll: 'This product, by the scale subresource.',
  HorizontalPodAutoscaler: 'The native controller, by the HPA that the policy is rendered into.',
  External: 'Somebody or something else: `manager` has the name where it is known.',
});

/** A change of a target's replicas, ours or another's. */
@ObjectType({
  description: 'A change of a target’s replica count: every replica is accounted for.',
  implements: () => [AuditEntry, Node],
})
export class ScalingEvent extends AuditEntry {
  @Field(() => PolicyName, { description: 'The policy whose target changed.' })
  declare policy: PolicyName;

  @Field(() => ScalingOrigin, { description: 'Who changed the count.' })
  declare origin: ScalingEventPayload['origin'];

  @Field(() => String, { nullable: true, description: 'The policy’s HPA that scaled; null: none did.' })
  declare autoscaler: string | null;

  @Field(() => String, { nullable: true, description: 'The field manager that wrote, where it is known.' })
  declare manager: string | null;

  @Field(() => Int, { description: 'The count of replicas before.' })
  declare from: number;

  @Field(() => Int, { description: 'The count of replicas from then on.' })
  declare to: number;

  @Field(() => String, { description: 'Why it changed, in a sentence.' })
  declare reason: string;

  @Field(() => ID, { nullable: true, description: 'The decision that asked for it.' })
  declare decisionId: string | null;

  @Field(() => Commit, {
    nullable: true,
    description: 'The commit that put the policy in force, of a change of Plimsoll’s; null of another’s.',
  })
  declare commit: Commit | null;
}

/** A change of how a policy is carried out. */
@ObjectType({
  description: 'A change of selection, actuation, algorithm or enabled.',
  implements: () => [AuditEntry, Node],
})
export class StrategyChange extends AuditEntry {
  @Field(() => PolicyName, { description: 'The policy that is carried out otherwise.' })
  declare policy: PolicyName;

  @Field(() => StrategyField, { description: 'What of it changed.' })
  declare field: ChangedField;

  @Field(() => String, { nullable: true, description: 'null: no pods were selected before.' })
  declare before: string | null;

  @Field(() => String, {
    description: 'The word that holds from then on: OwnerReference, HorizontalPodAutoscaler, true, …',
  })
  declare after: string;

  @Field(() => Commit, {
    nullable: true,
    description: 'The commit that brought it; null: the settings changed, as a SettingsChange says.',
  })
  declare commit: Commit | null;
}

/** Who changed what is in force in place of a commit's author. */
@ObjectType({ description: "An operator who changed what is in force, in place of a commit's author." })
export class ChangeOperator {
  @Field(() => String, {
    description:
      'RollBackSource, ReleasePolicy, ResumeSource (a release was taken back) or ApproveHold (a removed source left).',
  })
  declare action: string;

  @Field(() => String, { description: 'The person that did it.' })
  declare by: string;

  @Field(() => String, { description: 'What that person wrote.' })
  declare reason: string;
}

/** A policy that came, changed or went. */
@ObjectType({
  description: 'A policy that came, changed or went.',
  implements: () => [AuditEntry, Node],
})
export class PolicyChange extends AuditEntry {
  @Field(() => PolicyName, { description: 'The policy that it is about.' })
  declare policy: PolicyName;

  @Field(() => String, { description: 'The repository that it comes from, as the configuration names it.' })
  declare source: string;

  @Field(() => JsonScalar, { nullable: true, description: 'The document as it was; null: it is new.' })
  declare before: Json | null;

  @Field(() => JsonScalar, { nullable: true, description: 'The document as it is; null: it left.' })
  declare after: Json | null;

  @Field(() => PolicyDeparture, { nullable: true, description: departureDescription })
  declare departure: Departure | null;

  @Field(() => Commit, {
    nullable: true,
    description: 'The commit that brought it; null: no commit did, as where the source was removed.',
  })
  declare commit: Commit | null;

  @Field(() => ChangeOperator, {
    nullable: true,
    description:
      "Who did it in place of the commit's author: by a rollback, a release or its end; null: the commit did, or the entry is of an earlier release.",
  })
  declare operator: ChangeOperator | null;
}

/** One thing wrong in a file. */
@ObjectType({ description: 'A problem at its place in a file.' })
export class Diagnostic {
  @Field(() => String, { description: 'error, warning or note: an error rejects its document.' })
  declare severity: string;

  @Field(() => String, { description: 'Names the kind of problem; stable, so that programs go by it.' })
  declare code: string;

  @Field(() => String, { description: 'What is wrong, with key, bound and value.' })
  declare message: string;

  @Field(() => String, { description: 'The path in the repository.' })
  declare file: string;

  @Field(() => Int, { description: 'Counted from 1.' })
  declare line: number;

  @Field(() => Int, { description: 'Counted from 1.' })
  declare column: number;

  @Field(() => String, { nullable: true, description: 'What would be right; null: there is no suggestion.' })
  declare hint: string | null;
}

/** One look at a source. */
@ObjectType({
  description: 'A sync of a source that found something new, or failed.',
  implements: () => [AuditEntry, Node],
})
export class SyncRun extends AuditEntry {
  @Field(() => String, { description: 'The repository that was looked at, as the configuration names it.' })
  declare source: string;

  @Field(() => String, { description: 'What became of the revision: active, held, rejected, or failed.' })
  declare outcome: string;

  @Field(() => String, { description: 'What was found, in a sentence.' })
  declare message: string;

  @Field(() => Commit, {
    nullable: true,
    description: 'The newest commit of the ref; null: it could not be read.',
  })
  declare commit: Commit | null;

  @Field(() => PullRequest, {
    nullable: true,
    description:
      'Of the commit, where the forge had named it by then; a CommitReview has it once the forge answers.',
  })
  declare pullRequest: PullRequest | null;

  @Field(() => [Diagnostic], { description: 'What is wrong in the documents of that commit.' })
  declare diagnostics: Diagnostic[];
}

/** Who allowed a commit, as its forge said. */
@ObjectType({
  description: 'Who allowed a commit, as its forge said: recorded once, when the forge answered.',
  implements: () => [AuditEntry, Node],
})
export class CommitReview extends AuditEntry {
  @Field(() => String, {
    description: 'The repository that it was pushed to, as the configuration names it.',
  })
  declare source: string;

  @Field(() => Commit, { description: 'The commit that was asked about.' })
  declare commit: Commit;

  @Field(() => PullRequest, { nullable: true, description: 'null: it came without one.' })
  declare pullRequest: PullRequest | null;
}

export const ScalingEventConnection = connectionOf(ScalingEvent, 'ScalingEvent');
export const StrategyChangeConnection = connectionOf(StrategyChange, 'StrategyChange');
/** A page of changes of policies. */
export const PolicyChangeConnection = connectionOf(PolicyChange, 'PolicyChange');
export const SyncRunConnection = connectionOf(SyncRun, 'SyncRun');
