import { Field, ID, Int, ObjectType } from '@nestjs/graphql';
import type { Json } from '#kernel';
import type { ActuationIntentPayload, ActuationOutcomePayload } from '#ledger';
import { AuditEntry, Node } from './audit-entry.type.ts';
import { Commit } from './commit.type.ts';
import { connectionOf } from './connection.ts';
import { enumOf } from './enum-of.ts';
import { JsonScalar } from './json.scalar.ts';
import { PolicyName } from './policy-name.type.ts';

/** A field of an HPA that differs. */
@ObjectType({ description: 'A field that differs, values as JSON text; null: it is not there.' })
export class FieldDifference {
  @Field(() => String, { description: 'The path of the field: `spec.maxReplicas`.' })
  declare field: string;

  @Field(() => String, { nullable: true, description: 'The value that the HPA had.' })
  declare found: string | null;

  @Field(() => String, { nullable: true, description: 'The value that the policy asks for.' })
  declare wanted: string | null;
}

export const ActuationVerb = enumOf<ActuationIntentPayload['verb']>(
  'ActuationVerb',
  'What is done to an HPA.',
  {
    Create: 'There was none, and one is made.',
    Update: 'Fields of our own one are set.',
    Delete: 'Our own one is taken away.',
    Adopt: 'One of another manager is taken over, as its annotation allows.',
  },
);
export const ActuationResult = enumOf<ActuationOutcomePayload['result']>(
  'ActuationResult',
  'What became of a write of an HPA.',
  {
    Applied: 'The API server took it; `dropped` has what it did not keep.',
    Failed: 'It changed nothing; `code` says why.',
  },
);

/** A write of a policy's HPA that is about to be sent. */
@ObjectType({
  description: 'A write of the HPA that a policy is rendered into: recorded before it is sent.',
  implements: () => [AuditEntry, Node],
})
export class ActuationIntent extends AuditEntry {
  @Field(() => PolicyName, { description: 'The policy whose HPA is written.' })
  declare policy: PolicyName;

  @Field(() => ActuationVerb, { description: 'What is to be done to the HPA.' })
  declare verb: ActuationIntentPayload['verb'];

  @Field(() => String, { nullable: true, description: 'Digest of what was rendered; null for a deletion.' })
  declare specDigest: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'Kubernetes’ uid of the HPA; null: it is yet to be created.',
  })
  declare uid: string | null;

  @Field(() => String, { nullable: true, description: 'Of the HPA as it was read; null: there was none.' })
  declare resourceVersion: string | null;

  @Field(() => String, { description: 'Why the HPA is written, in words.' })
  declare reason: string;

  @Field(() => [FieldDifference], { description: 'What the write changed, at most 20 fields.' })
  declare differences: FieldDifference[];

  @Field(() => String, {
    nullable: true,
    description: 'Edited or Deleted: what somebody else had done to the HPA; null: nobody had.',
  })
  declare drift: string | null;

  @Field(() => String, { nullable: true, description: 'The field manager that had, where it is known.' })
  declare driftManager: string | null;

  @Field(() => [String], { description: 'How the native controller acts otherwise than the decision.' })
  declare departures: string[];

  @Field(() => ID, { nullable: true, description: 'The decision that it was announced with.' })
  declare decisionId: string | null;

  @Field(() => Commit, {
    nullable: true,
    description: 'The commit that put the policy in force; null: it came from no repository.',
  })
  declare commit: Commit | null;
}

/** A write of a policy's HPA, and what became of it. */
@ObjectType({
  description: 'A write of the HPA that a policy is rendered into, and what became of it.',
  implements: () => [AuditEntry, Node],
})
export class ActuationOutcome extends ActuationIntent {
  @Field(() => ID, { description: 'The intent that announced it.' })
  declare intentId: string;

  @Field(() => ActuationResult, { description: 'Whether the API server took the write.' })
  declare result: ActuationOutcomePayload['result'];

  @Field(() => [FieldDifference], { description: 'Fields that the API server did not keep.' })
  declare dropped: FieldDifference[];

  @Field(() => String, { nullable: true, description: 'Why it was not applied.' })
  declare code: string | null;

  @Field(() => String, { description: 'What came of the write, in words.' })
  declare message: string;
}

/** A condition of an HPA. */
@ObjectType({ description: 'A condition of an HPA, as the native controller writes it.' })
export class HpaCondition {
  @Field(() => String, { description: 'AbleToScale, ScalingActive or ScalingLimited.' })
  declare type: string;

  @Field(() => String, { description: 'True, False or Unknown.' })
  declare status: string;

  @Field(() => String, {
    description: 'The native controller’s word for why: ReadyForNewScale, TooManyReplicas, …',
  })
  declare reason: string;
}

/** What the status of a policy's HPA said over a time. */
@ObjectType({
  description: 'What the status of a policy’s HPA said over a time, equal passes folded.',
  implements: () => [AuditEntry, Node],
})
export class HpaObservation extends AuditEntry {
  @Field(() => PolicyName, { description: 'The policy that the HPA is rendered from.' })
  declare policy: PolicyName;

  @Field(() => String, { description: 'Kubernetes’ uid of the HPA.' })
  declare uid: string;

  @Field(() => String, { description: 'Time of the first pass that saw it, RFC 3339.' })
  declare first: string;

  @Field(() => String, { description: 'Time of the last pass that saw it, RFC 3339.' })
  declare last: string;

  @Field(() => Int, { description: 'How many passes saw it.' })
  declare count: number;

  @Field(() => Int, { description: 'status.currentReplicas: pods that the native controller counted.' })
  declare currentReplicas: number;

  @Field(() => Int, { description: 'status.desiredReplicas: the count that the native controller asks for.' })
  declare desiredReplicas: number;

  @Field(() => [HpaCondition], { description: 'The conditions of the HPA, as they stood at that time.' })
  declare conditions: HpaCondition[];

  @Field(() => JsonScalar, { description: 'By metric, the least and the greatest value.' })
  declare metrics: Json;
}

/** An HPA that Plimsoll made and that no policy explains. */
@ObjectType({
  description:
    'An HPA that Plimsoll made and that no policy in force explains: it stays, or its deletion fails.',
})
export class OrphanedHpa {
  @Field(() => String, { description: 'Where it is in Kubernetes.' })
  declare namespace: string;

  @Field(() => String, { description: 'The name of the HPA in Kubernetes.' })
  declare name: string;

  @Field(() => String, { description: 'The policy that it was rendered from, `shop/checkout`.' })
  declare policy: string;

  @Field(() => String, { description: 'Why it is there, and what takes it away.' })
  declare message: string;

  @Field(() => String, {
    nullable: true,
    description: 'Since when its deletion fails, RFC 3339; null: it is not tried to delete it.',
  })
  declare since: string | null;
}

export const ActuationOutcomeConnection = connectionOf(ActuationOutcome, 'ActuationOutcome');
export const HpaObservationConnection = connectionOf(HpaObservation, 'HpaObservation');
