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

export const PolicyDeparture = enumOf<Departure>(
  'PolicyDeparture',
  ['Pruned', 'Kept', 'Released', 'RolledBack', 'SourceRemoved'],
  'How a policy left. Kept: its document was deleted, and pruning is disabled for it: HPA and count stay.',
);
export const StrategyField = enumOf<ChangedField>(
  'StrategyField',
  ['selectionStrategy', 'actuation', 'algorithm', 'enabled', 'adoption'],
  'What of a policy’s execution changed. selectionStrategy: as requested, the gate applied; adoption: of an HPA of another manager.',
);
export const ScalingOrigin = enumOf<ScalingEventPayload['origin']>(
  'ScalingOrigin',
  ['Plimsoll', 'HorizontalPodAutoscaler', 'External'],
  'Who changed a count. HorizontalPodAutoscaler: the native controller, by the policy’s HPA.',
);

/** A change of a target's replicas, ours or another's. */
@ObjectType({
  description: 'A change of a target’s replica count: every replica is accounted for.',
  implements: () => [AuditEntry, Node],
})
export class ScalingEvent extends AuditEntry {
  @Field(() => PolicyName)
  declare policy: PolicyName;

  @Field(() => ScalingOrigin)
  declare origin: ScalingEventPayload['origin'];

  @Field(() => String, { nullable: true, description: 'The policy’s HPA that scaled; null: none did.' })
  declare autoscaler: string | null;

  @Field(() => String, { nullable: true, description: 'The field manager that wrote, where it is known.' })
  declare manager: string | null;

  @Field(() => Int)
  declare from: number;

  @Field(() => Int)
  declare to: number;

  @Field(() => String)
  declare reason: string;

  @Field(() => ID, { nullable: true, description: 'The decision that asked for it.' })
  declare decisionId: string | null;

  @Field(() => Commit, { nullable: true })
  declare commit: Commit | null;
}

/** A change of how a policy is carried out. */
@ObjectType({
  description: 'A change of selection, actuation, algorithm or enabled.',
  implements: () => [AuditEntry, Node],
})
export class StrategyChange extends AuditEntry {
  @Field(() => PolicyName)
  declare policy: PolicyName;

  @Field(() => StrategyField)
  declare field: ChangedField;

  @Field(() => String, { nullable: true, description: 'null: no pods were selected before.' })
  declare before: string | null;

  @Field(() => String)
  declare after: string;

  @Field(() => Commit, {
    nullable: true,
    description: 'The commit that brought it; null: the settings changed, as a SettingsChange says.',
  })
  declare commit: Commit | null;
}

/** A policy that came, changed or went. */
@ObjectType({
  description: 'A policy that came, changed or went.',
  implements: () => [AuditEntry, Node],
})
export class PolicyChange extends AuditEntry {
  @Field(() => PolicyName)
  declare policy: PolicyName;

  @Field(() => String)
  declare source: string;

  @Field(() => JsonScalar, { nullable: true, description: 'The document as it was; null: it is new.' })
  declare before: Json | null;

  @Field(() => JsonScalar, { nullable: true, description: 'The document as it is; null: it left.' })
  declare after: Json | null;

  @Field(() => PolicyDeparture, { nullable: true, description: departureDescription })
  declare departure: Departure | null;

  @Field(() => Commit, { nullable: true })
  declare commit: Commit | null;
}

/** One thing wrong in a file. */
@ObjectType({ description: 'A problem at its place in a file.' })
export class Diagnostic {
  @Field(() => String, { description: 'error, warning or note.' })
  declare severity: string;

  @Field(() => String)
  declare code: string;

  @Field(() => String)
  declare message: string;

  @Field(() => String)
  declare file: string;

  @Field(() => Int)
  declare line: number;

  @Field(() => Int)
  declare column: number;

  @Field(() => String, { nullable: true })
  declare hint: string | null;
}

/** One look at a source. */
@ObjectType({
  description: 'A sync of a source that found something new, or failed.',
  implements: () => [AuditEntry, Node],
})
export class SyncRun extends AuditEntry {
  @Field(() => String)
  declare source: string;

  @Field(() => String, { description: 'What became of the revision: active, held, rejected, or failed.' })
  declare outcome: string;

  @Field(() => String)
  declare message: string;

  @Field(() => Commit, { nullable: true })
  declare commit: Commit | null;

  @Field(() => PullRequest, {
    nullable: true,
    description:
      'Of the commit, where the forge had named it by then; a CommitReview has it once the forge answers.',
  })
  declare pullRequest: PullRequest | null;

  @Field(() => [Diagnostic])
  declare diagnostics: Diagnostic[];
}

/** Who allowed a commit, as its forge said. */
@ObjectType({
  description: 'Who allowed a commit, as its forge said: recorded once, when the forge answered.',
  implements: () => [AuditEntry, Node],
})
export class CommitReview extends AuditEntry {
  @Field(() => String)
  declare source: string;

  @Field(() => Commit)
  declare commit: Commit;

  @Field(() => PullRequest, { nullable: true, description: 'null: it came without one.' })
  declare pullRequest: PullRequest | null;
}

export const ScalingEventConnection = connectionOf(ScalingEvent, 'ScalingEvent');
export const StrategyChangeConnection = connectionOf(StrategyChange, 'StrategyChange');
/** A page of changes of policies. */
export const PolicyChangeConnection = connectionOf(PolicyChange, 'PolicyChange');
export const SyncRunConnection = connectionOf(SyncRun, 'SyncRun');
