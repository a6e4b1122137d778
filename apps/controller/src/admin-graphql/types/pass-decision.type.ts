import { Field, ID, Int, ObjectType } from '@nestjs/graphql';
import type { PassDecision as Decided } from '../../admin/policy-reports.ts';
import { DecisionAction, DecisionMetric, DecisionSelection, DecisionStep } from './decision.type.ts';

/** What the latest pass decided, recorded or not. */
@ObjectType({
  description:
    'What the latest pass over a policy decided. A pass that repeats the decision before it makes no entry, and neither does one whose decision the database does not take: `recordedAs` says what of it is recorded.',
})
export class PassDecision {
  @Field(() => ID, {
    nullable: true,
    description:
      'The Decision that records it, or that it repeats; null: it is not recorded yet, as while the database is away.',
  })
  declare recordedAs: string | null;

  @Field(() => String, { description: 'When it was decided, RFC 3339.' })
  declare time: string;

  @Field(() => DecisionAction, { description: 'What follows for the count.' })
  declare action: DecisionAction;

  @Field(() => Int, {
    nullable: true,
    description: 'spec.replicas of the target before the decision; null: the scale could not be read.',
  })
  declare currentReplicas: number | null;

  @Field(() => Int, {
    nullable: true,
    description: 'The count that was decided; null: none could be, and the present one stays.',
  })
  declare desiredReplicas: number | null;

  @Field(() => String, { description: 'Why, in one sentence; `steps` has the way there.' })
  declare reason: string;

  @Field(() => DecisionSelection, { description: 'How pods were selected for the metrics.' })
  declare selection: DecisionSelection;

  @Field(() => [DecisionMetric], {
    description: 'What each metric of the policy proposed, in the policy’s order.',
  })
  declare metrics: readonly DecisionMetric[];

  @Field(() => [DecisionStep], {
    description:
      'The complete waterfall: every rule that was consulted, in order, with the count before and after it.',
  })
  declare steps: readonly DecisionStep[];
}

/** The GraphQL form of what a pass decided. */
export function toPassDecision({ decision, recordedAs }: Decided): PassDecision {
  const { time, action, currentReplicas, desiredReplicas, reason, selection, metrics, steps } = decision;
  return {
    ...{ recordedAs, time, action, currentReplicas, desiredReplicas, reason, selection, steps },
    // GraphQL's forms of them are the contract's own.
    metrics: metrics as unknown as readonly DecisionMetric[],
  };
}
