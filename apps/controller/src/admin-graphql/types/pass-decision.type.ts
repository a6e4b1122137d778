import { Field, ID, ObjectType, PickType } from '@nestjs/graphql';
import type { PassDecision as Decided } from '../../admin/policies/policy-reports.ts';
import { Decision } from './decision.type.ts';

/** What the latest pass decided, recorded or not. */
@ObjectType({
  description:
    'What the latest pass over a policy decided. A pass that repeats the decision before it makes no entry, and neither does one whose decision the database does not take: `recordedAs` says what of it is recorded.',
})
export class PassDecision extends PickType(Decision, [
  'action',
  'currentReplicas',
  'desiredReplicas',
  'reason',
  'selection',
  'metrics',
  'steps',
] as const) {
  @Field(() => ID, {
    nullable: true,
    description:
      'The Decision that records it, or that it repeats; null: it is not recorded yet, as while the database is away.',
  })
  declare recordedAs: string | null;

  @Field(() => String, { description: 'When it was decided, RFC 3339.' })
  declare time: string;
}

/** The GraphQL form of what a pass decided. */
export function toPassDecision({ decision, recordedAs }: Decided): PassDecision {
  const { time, action, currentReplicas, desiredReplicas, reason, selection, metrics, steps } = decision;
  return {
    ...{ recordedAs, time, action, currentReplicas, desiredReplicas, reason, selection },
    // GraphQL's forms of them are the contract's own.
    metrics: metrics as unknown as Decision['metrics'],
    steps: [...steps],
  };
}
