import { Field, Int, ObjectType } from '@nestjs/graphql';
import type { PassReport } from '#reconciliation';
import type { Evaluator, PolicyReport } from '../../admin/policies/policy-reports.ts';
import { Condition } from './decision.type.ts';
import { enumOf } from './enum-of.ts';
import { PassDecision, toPassDecision } from './pass-decision.type.ts';

type OutcomeKind = PassReport['outcome']['kind'];

export const PassOutcomeKind = enumOf<OutcomeKind>(
  'PassOutcome',
  'How a pass ended, named by what happens next.',
  {
    Done: 'Nothing is left to do until the next interval.',
    Waiting: 'Something is not there yet: the next pass looks again.',
    Stalled: 'A person must act: trying again would not help.',
    Failed: 'A call failed: the next pass tries again.',
    Bug: 'An error of ours; the log has it.',
  },
);

const EvaluatorName = enumOf<Evaluator>(
  'PolicyEvaluator',
  'Which replica runs the passes over a policy, and so whether its time is known here.',
  {
    ThisReplica: 'The one that answers.',
    AnotherReplica: 'Another one; none, while its shard is handed over.',
    NobodyYet: 'The one that answers, since whose start no pass over it has ended.',
  },
);

/** What the latest pass over a policy came to. */
@ObjectType({ description: 'What the latest pass over the policy came to.' })
export class PolicyStatus {
  @Field(() => PassOutcomeKind, { description: 'How the pass ended, named by what happens next.' })
  declare outcome: OutcomeKind;

  @Field(() => String, { description: 'A word in CamelCase for why, which programs go by.' })
  declare reason: string;

  @Field(() => String, { description: 'The same in a sentence.' })
  declare message: string;

  @Field(() => String, {
    description:
      'When the pass ended; where `evaluatedBy` is not ThisReplica, when its state was stored last: passes that changed nothing since are known to the replica that ran them alone. RFC 3339.',
  })
  declare time: string;

  @Field(() => EvaluatorName, { description: 'Which replica runs the passes over the policy.' })
  declare evaluatedBy: Evaluator;

  @Field(() => Int, {
    description: 'The shard that the policy is in: `shards` says who holds it, and so evaluates the policy.',
  })
  declare shard: number;

  @Field(() => Int, { nullable: true, description: 'spec.replicas after the pass; null: unreadable.' })
  declare replicas: number | null;

  @Field(() => Int, { nullable: true, description: 'status.replicas after the pass; null: unreadable.' })
  declare statusReplicas: number | null;

  @Field(() => [Condition], {
    description: 'Plimsoll’s own, then upstream’s, with the times of their last transitions, over restarts.',
  })
  declare conditions: Condition[];

  @Field(() => PassDecision, {
    nullable: true,
    description:
      'What the pass decided, from memory: also while the database is away. null: it decided nothing, or another replica decides the policy.',
  })
  declare decision: PassDecision | null;
}

/** The GraphQL form of what the latest pass reported. */
export function toPolicyStatus(report: PolicyReport): PolicyStatus {
  const { outcome, time, evaluatedBy, shard, scale, conditions, decided } = report;
  return {
    outcome: outcome.kind,
    reason: outcome.reason,
    message: outcome.message,
    time,
    evaluatedBy,
    shard,
    replicas: scale?.specReplicas ?? null,
    statusReplicas: scale?.statusReplicas ?? null,
    conditions: [...conditions],
    decision: decided === null ? null : toPassDecision(decided),
  };
}
