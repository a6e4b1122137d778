import { Field, Float, Int, ObjectType } from '@nestjs/graphql';
import type { MetricMeasure as Measure } from '#ledger';
import { enumOf } from './enum-of.ts';

export const MetricMeasure = enumOf<Measure>('MetricMeasure', 'What the values of a metric are.', {
  Utilization: 'Percent of what the pods request.',
  AverageValue: 'The mean per pod.',
  Value: 'One number for the whole.',
  Replicas: 'The count that a recommender recommends.',
});

type PerStep = readonly (number | null)[];

/** A number over time. */
@ObjectType({ description: 'A number over time, a value per step; null: no pass of the step saw one.' })
export class StepValues {
  @Field(() => [Float], { nullable: 'items', description: 'The mean over the passes of each step.' })
  declare mean: PerStep;

  @Field(() => [Float], { nullable: 'items', description: 'The smallest value of each step.' })
  declare lowest: PerStep;

  @Field(() => [Float], {
    nullable: 'items',
    description: 'The largest value of each step, so that no spike is lost.',
  })
  declare highest: PerStep;
}

/** A metric over time. */
@ObjectType({
  description:
    'A metric over time, in the units of its target: as the policy compares it, over ready pods. A version of the policy that compares it otherwise has one of its own.',
})
export class MetricChart extends StepValues {
  @Field(() => String, { description: 'Resource, External, …; the type of the decision’s report.' })
  declare type: string;

  @Field(() => String, { description: 'What the metric measures: `cpu`, `http_requests`.' })
  declare name: string;

  @Field(() => MetricMeasure, { description: 'What its values are.' })
  declare measure: Measure;

  @Field(() => [Float], { nullable: 'items', description: 'What it is held against; null: watermarks.' })
  declare targets: PerStep;

  @Field(() => [Float], {
    nullable: 'items',
    description: 'Below which the policy scales in; null: it has a target instead.',
  })
  declare lowWatermarks: PerStep;

  @Field(() => [Float], {
    nullable: 'items',
    description: 'Above which the policy scales out; null: it has a target instead.',
  })
  declare highWatermarks: PerStep;
}

/** What passes saw over time. */
@ObjectType({ description: 'What passes of a policy saw over time, in steps of equal length.' })
export class PolicyChart {
  @Field(() => [String], { description: 'The beginnings of the steps, RFC 3339.' })
  declare times: readonly string[];

  @Field(() => String, { description: 'The end of the last step, RFC 3339.' })
  declare until: string;

  @Field(() => StepValues, { description: 'The count that is asked for: spec.replicas of the target.' })
  declare specReplicas: StepValues;

  @Field(() => StepValues, { description: 'The count that there is: status.replicas of the target.' })
  declare statusReplicas: StepValues;

  @Field(() => [Int], {
    nullable: 'items',
    description:
      'Of the policy in force at the end of each step, or of its schedules while they last; overrides replace both for a while. null: none was in force.',
  })
  declare minReplicas: PerStep;

  @Field(() => [Int], { nullable: 'items', description: 'The upper bound, in the same way as minReplicas.' })
  declare maxReplicas: PerStep;

  @Field(() => [MetricChart], {
    description: 'What the metrics of the policy were, and what they were held against.',
  })
  declare metrics: readonly MetricChart[];

  @Field(() => Boolean, {
    description:
      'Whether everything until the end of the last step is known; false: it is until `knownUntil`.',
  })
  declare isComplete: boolean;

  @Field(() => String, {
    description:
      'RFC 3339. What was seen later may be missing: there were more than 200,000 passes, and the newest are left out; or another replica runs them, and stores what they see within some minutes.',
  })
  declare knownUntil: string;

  @Field(() => String, {
    nullable: true,
    description:
      'RFC 3339. What was seen earlier is not shown: the database does not answer, and this is what the replica that decides the policy has in memory. null: nothing earlier is missing.',
  })
  declare knownFrom: string | null;
}
