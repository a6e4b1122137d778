import { Field, ID, Int, ObjectType } from '@nestjs/graphql';
import type { Json } from '#kernel';
import { Commit } from './commit.type.ts';
import { connectionOf } from './connection.ts';
import { PolicyName } from './decision.type.ts';
import { JsonScalar } from './json.scalar.ts';

/** How a policy left, for every type that says so. */
export const departureDescription =
  'How it left: Pruned, Kept (pruning is disabled), Released, RolledBack or SourceRemoved; null: it did not.';

/** A change of a target's replicas, ours or another's. */
@ObjectType({ description: 'A change of a target’s replica count: every replica is accounted for.' })
export class ScalingEvent {
  @Field(() => ID)
  declare id: string;

  @Field(() => String, { description: 'RFC 3339.' })
  declare time: string;

  @Field(() => PolicyName)
  declare policy: PolicyName;

  @Field(() => String, {
    description:
      'Plimsoll, HorizontalPodAutoscaler (the native controller, by the policy’s HPA), or External.',
  })
  declare origin: string;

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
@ObjectType({ description: 'A change of selection, actuation, algorithm or enabled.' })
export class StrategyChange {
  @Field(() => ID)
  declare id: string;

  @Field(() => String)
  declare time: string;

  @Field(() => PolicyName)
  declare policy: PolicyName;

  @Field(() => String, {
    description:
      'selectionStrategy (as requested, the gate applied), actuation, algorithm, enabled, or adoption of an HPA.',
  })
  declare field: string;

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
@ObjectType({ description: 'A policy that came, changed or went.' })
export class PolicyChange {
  @Field(() => ID)
  declare id: string;

  @Field(() => String, { description: 'RFC 3339.' })
  declare time: string;

  @Field(() => PolicyName)
  declare policy: PolicyName;

  @Field(() => String)
  declare source: string;

  @Field(() => JsonScalar, { nullable: true, description: 'The document as it was; null: it is new.' })
  declare before: Json | null;

  @Field(() => JsonScalar, { nullable: true, description: 'The document as it is; null: it left.' })
  declare after: Json | null;

  @Field(() => String, { nullable: true, description: departureDescription })
  declare departure: string | null;

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
@ObjectType({ description: 'A sync of a source that found something new, or failed.' })
export class SyncRun {
  @Field(() => ID)
  declare id: string;

  @Field(() => String)
  declare time: string;

  @Field(() => String)
  declare source: string;

  @Field(() => String, { description: 'What became of the revision: active, held, rejected, or failed.' })
  declare outcome: string;

  @Field(() => String)
  declare message: string;

  @Field(() => Commit, { nullable: true })
  declare commit: Commit | null;

  @Field(() => [Diagnostic])
  declare diagnostics: Diagnostic[];
}

export const ScalingEventConnection = connectionOf(ScalingEvent, 'ScalingEvent');
export const StrategyChangeConnection = connectionOf(StrategyChange, 'StrategyChange');
/** A page of changes of policies. */
export const PolicyChangeConnection = connectionOf(PolicyChange, 'PolicyChange');
export const SyncRunConnection = connectionOf(SyncRun, 'SyncRun');
