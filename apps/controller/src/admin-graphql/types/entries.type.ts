import { Field, ID, Int, ObjectType } from '@nestjs/graphql';
import type { Action } from '#decision';
import type { Json } from '#kernel';
import type { OperatorActionPayload } from '#ledger';
import { AuditEntry, Node } from './audit-entry.type.ts';
import { Commit } from './commit.type.ts';
import { connectionOf } from './connection.ts';
import { DecisionAction } from './decision.type.ts';
import { enumOf } from './enum-of.ts';
import { JsonScalar } from './json.scalar.ts';
import { PolicyName } from './policy-name.type.ts';

const entry = { implements: () => [AuditEntry, Node] } as const;

/** Decisions that changed nothing, folded. */
@ObjectType({
  ...entry,
  description: 'Passes that repeated the decision before them in their stream, folded into one entry.',
})
export class DecisionRun extends AuditEntry {
  @Field(() => PolicyName, { description: 'The policy that was decided for.' })
  declare policy: PolicyName;

  @Field(() => String, { description: 'Time of the first pass, RFC 3339.' })
  declare first: string;

  @Field(() => String, { description: 'Time of the last pass, RFC 3339.' })
  declare last: string;

  @Field(() => Int, { description: 'Passes; the decision itself is not among them.' })
  declare count: number;

  @Field(() => DecisionAction, { description: 'What all of these decisions did.' })
  declare action: Action;

  @Field(() => Int, {
    nullable: true,
    description: 'The count that all of them came to; null: none could be decided.',
  })
  declare desiredReplicas: number | null;

  @Field(() => String, { description: 'Why, as the repeated decision has it.' })
  declare reason: string;

  @Field(() => JsonScalar, { description: 'By metric, the least and the greatest value.' })
  declare metrics: Json;
}

/** A write of a count that is about to be sent. */
@ObjectType({ ...entry, description: 'A write of a target’s count: recorded before it is sent.' })
export class ScalingIntent extends AuditEntry {
  @Field(() => PolicyName, { description: 'The policy whose target is written.' })
  declare policy: PolicyName;

  @Field(() => Int, { description: 'The count of replicas that was read.' })
  declare from: number;

  @Field(() => Int, { description: 'The count of replicas that is about to be written.' })
  declare to: number;

  @Field(() => String, { description: 'Why the count changes, in a sentence.' })
  declare reason: string;

  @Field(() => String, { nullable: true, description: 'Of the scale that the decision saw.' })
  declare resourceVersion: string | null;

  @Field(() => ID, { nullable: true, description: 'The decision that asked for it.' })
  declare decisionId: string | null;

  @Field(() => Commit, {
    nullable: true,
    description: 'The commit that put the policy in force; null: it came from no repository.',
  })
  declare commit: Commit | null;
}

/** Why an intent changed nothing. */
@ObjectType({ ...entry, description: 'Why a write of a count changed nothing.' })
export class ScalingFailure extends AuditEntry {
  @Field(() => PolicyName, { description: 'The policy whose target was to be written.' })
  declare policy: PolicyName;

  @Field(() => ID, { description: 'The intent that it is the outcome of.' })
  declare intentId: string;

  @Field(() => String, {
    description:
      'NotApplied, MayComeLate, Overtaken, TargetGone, TargetReplaced, or the API server’s reason.',
  })
  declare code: string;

  @Field(() => String, { description: 'What the code means here, in a sentence.' })
  declare message: string;
}

export const ActionOutcome = enumOf<OperatorActionPayload['outcome']>(
  'ActionOutcome',
  'Whether an action was carried out.',
  {
    Accepted: 'It was carried out.',
    Refused: 'It was not, and nothing changed.',
    Forced: 'It was, although guardrails or the limits of the tenant say no.',
  },
);

/** What a person or a token asked for. */
@ObjectType({ ...entry, description: 'What a person or a token asked for, refusals included.' })
export class OperatorAction extends AuditEntry {
  @Field(() => String, { description: 'The name of the person or token.' })
  declare actor: string;

  @Field(() => String, {
    description:
      'What was asked for: SyncSource, ApproveHold, SuspendScaling, …; ResumeSource with a policy among its arguments is of that policy alone.',
  })
  declare action: string;

  @Field(() => ActionOutcome, { description: 'Whether it was carried out.' })
  declare outcome: OperatorActionPayload['outcome'];

  @Field(() => String, {
    nullable: true,
    description: 'What the actor gave as the reason, or why it was refused; null: nothing was said.',
  })
  declare reason: string | null;

  @Field(() => String, {
    nullable: true,
    description:
      'What the actor gave as the reason of what was refused; null: it was not refused, nothing was said, or it is of an earlier release.',
  })
  declare givenReason: string | null;

  @Field(() => JsonScalar, { description: 'The action’s own, secrets left out.' })
  declare arguments: Json;

  @Field(() => JsonScalar, {
    nullable: true,
    description: 'What it does, as its dry run says; null: it was refused, or is of an earlier release.',
  })
  declare effect: Json | null;
}

/** The controller's configuration differs from that of the last start. */
@ObjectType({ ...entry, description: 'The controller’s configuration changed.' })
class SettingsChange extends AuditEntry {
  @Field(() => JsonScalar, {
    nullable: true,
    description: 'The configuration until then, without secrets; null: it is the first that is recorded.',
  })
  declare before: Json | null;

  @Field(() => JsonScalar, { description: 'The configuration from then on, without secrets.' })
  declare after: Json;
}

const noteDescription = 'The signed note, whole.';

/** A signed Merkle root over the heads of all streams. */
@ObjectType({ ...entry, description: 'A signed Merkle root over the heads of all streams.' })
class Checkpoint extends AuditEntry {
  @Field(() => String, { description: 'The number of the checkpoint: from 1, without gaps.' })
  declare number: string;

  @Field(() => String, { description: noteDescription })
  declare note: string;
}

/** The key of the checkpoints changed. */
@ObjectType({
  ...entry,
  description: 'The key of the checkpoints changed: the old one says which comes after it.',
})
class KeyRotation extends AuditEntry {
  @Field(() => String, { description: 'Of the first checkpoint that the new key signs.' })
  declare number: string;

  @Field(() => String, { description: noteDescription })
  declare note: string;
}

/** The key of the checkpoints is gone. */
@ObjectType({ ...entry, description: 'The key of the checkpoints is gone, and another signs from here on.' })
class KeyLost extends AuditEntry {
  @Field(() => String, { description: 'Of the first checkpoint that the new key signs.' })
  declare number: string;

  @Field(() => String, { description: 'The new public key: base64 of its 32 bytes.' })
  declare key: string;

  @Field(() => String, { description: 'Who declared the key lost.' })
  declare actor: string;

  @Field(() => String, { description: 'What that person wrote about it.' })
  declare reason: string;
}

/** The database was restored from a backup. */
@ObjectType({
  ...entry,
  description: 'The database was restored from a backup that is older than a published checkpoint.',
})
class LedgerGap extends AuditEntry {
  @Field(() => String, { description: 'Of the last checkpoint that is known outside.' })
  declare number: string;

  @Field(() => String, { description: noteDescription })
  declare note: string;

  @Field(() => String, {
    description: 'Of the last checkpoint that the restored ledger has; 0: it has none.',
  })
  declare restored: string;

  @Field(() => String, { description: 'When the backup was made, RFC 3339.' })
  declare backup: string;
}

/** What was deleted of the ledger by age. */
@ObjectType({
  ...entry,
  description: 'What is deleted of the ledger by age: announced before, and counted after.',
})
class RetentionRun extends AuditEntry {
  @Field(() => JsonScalar, { description: '{kind, content, before} of each rule in force.' })
  declare rules: Json;

  @Field(() => JsonScalar, { description: '{stream, last, hash} of entries that go whole.' })
  declare segments: Json;

  @Field(() => JsonScalar, { nullable: true, description: 'null: it is about to be deleted.' })
  declare deleted: Json | null;
}

export const AuditEntryConnection = connectionOf(AuditEntry, 'AuditEntry');

/** The forms that only the interface leads to. */
export const entryTypes = [
  OperatorAction,
  SettingsChange,
  Checkpoint,
  KeyRotation,
  KeyLost,
  LedgerGap,
  RetentionRun,
];
