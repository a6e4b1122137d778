import { Field, ID, Int, ObjectType } from '@nestjs/graphql';
import type { Json } from '#kernel';
import { policyStream } from '#ledger';
import type { PolicyView } from '../../admin/admin-queries.ts';
import { PolicyOrigin } from './commit.type.ts';
import { connectionOf } from './connection.ts';
import { Condition } from './decision.type.ts';
import { JsonScalar } from './json.scalar.ts';

/** The object that a policy scales. */
@ObjectType({ description: 'The object that a policy scales; it is in the policy’s namespace.' })
export class ScaleTarget {
  @Field(() => String)
  declare apiVersion: string;

  @Field(() => String)
  declare kind: string;

  @Field(() => String)
  declare name: string;
}

/** What the latest pass over a policy came to. */
@ObjectType({ description: 'What the latest pass over the policy came to.' })
export class PolicyStatus {
  @Field(() => String, { description: 'Done, Waiting, Stalled, Failed or Bug: what happens next.' })
  declare outcome: string;

  @Field(() => String)
  declare reason: string;

  @Field(() => String)
  declare message: string;

  @Field(() => String, { description: 'When the pass ended, RFC 3339.' })
  declare time: string;

  @Field(() => Int, { nullable: true, description: 'spec.replicas after the pass; null: unreadable.' })
  declare replicas: number | null;

  @Field(() => Int, { nullable: true, description: 'status.replicas after the pass; null: unreadable.' })
  declare statusReplicas: number | null;

  @Field(() => [Condition], {
    description: 'Plimsoll’s own, then upstream’s, with the times of their last transitions, over restarts.',
  })
  declare conditions: Condition[];
}

/** A policy in force. */
@ObjectType({ description: 'A policy in force, with every default filled in.' })
export class Policy {
  @Field(() => ID)
  declare id: string;

  @Field(() => String)
  declare namespace: string;

  @Field(() => String)
  declare name: string;

  @Field(() => String, { description: 'The kind of the document it was written as.' })
  declare kind: string;

  @Field(() => ScaleTarget)
  declare target: ScaleTarget;

  @Field(() => String)
  declare actuation: string;

  @Field(() => Boolean)
  declare enabled: boolean;

  @Field(() => Boolean)
  declare dryRun: boolean;

  @Field(() => Int)
  declare minReplicas: number;

  @Field(() => Int)
  declare maxReplicas: number;

  @Field(() => String)
  declare selectionStrategy: string;

  @Field(() => Int)
  declare intervalSeconds: number;

  @Field(() => JsonScalar, { description: 'The document, PolicyDefaults applied.' })
  declare document: Json;

  @Field(() => PolicyOrigin, { description: 'Which commit put it in force, and where it stands there.' })
  declare origin: PolicyOrigin;

  @Field(() => PolicyStatus, { nullable: true, description: 'null until its first pass ends.' })
  declare status: PolicyStatus | null;
}

export const PolicyConnection = connectionOf(Policy, 'Policy');

/** The GraphQL form of a policy in force. */
export function toPolicy({ active, report }: PolicyView): Policy {
  const { policy, document, origin } = active;
  return {
    id: policyStream(policy),
    namespace: policy.namespace,
    name: policy.name,
    kind: policy.kind,
    target: policy.target,
    actuation: policy.actuation,
    enabled: policy.enabled,
    dryRun: policy.dryRun,
    minReplicas: policy.minReplicas,
    maxReplicas: policy.maxReplicas,
    selectionStrategy: policy.selectionStrategy,
    intervalSeconds: policy.intervalSeconds,
    document,
    origin,
    status: report === undefined ? null : toStatus(report),
  };
}

function toStatus(report: NonNullable<PolicyView['report']>): PolicyStatus {
  const { outcome, time, scale, conditions } = report;
  return {
    outcome: outcome.kind,
    reason: outcome.reason,
    message: outcome.message,
    time,
    replicas: scale?.specReplicas ?? null,
    statusReplicas: scale?.statusReplicas ?? null,
    conditions: [...conditions],
  };
}
