import { z } from 'zod';
import { component, timeText, type WireOf } from './component.ts';
import { decisionSchema, policyReferenceSchema } from './decision.ts';

const { action, desiredReplicas, reason, metrics, steps } = decisionSchema.shape;

/** What would be decided with other bounds. */
export const dryDecisionSchema = component(
  'DryDecision',
  'What would be decided with other bounds; nothing is written.',
  z.object({
    recorded: decisionSchema.describe('What was decided last, on the same observation.'),
    action: action.describe('What would follow for the count.'),
    desiredReplicas: desiredReplicas.describe('The count that would be decided; null: none could be.'),
    reason: reason.describe('Why, in one sentence.'),
    metrics: metrics.describe('What each metric would propose.'),
    steps: steps.describe('The complete waterfall, to be compared with that of `recorded`.'),
  }),
);
export type DryDecision = WireOf<typeof dryDecisionSchema>;

/** The decisions on both sides of a moment. */
export const decisionsAroundSchema = component(
  'DecisionsAround',
  'The decisions on both sides of a moment.',
  z.object({
    before: z
      .array(decisionSchema)
      .describe('At that moment or before, newest first: the first was in force.'),
    after: z.array(decisionSchema).describe('Those after that moment, oldest first.'),
    run: z
      .object({
        id: z.string().describe('The id of its entry.'),
        first: timeText.describe('The first pass, RFC 3339.'),
        last: timeText.describe('The last pass, RFC 3339.'),
        count: z.int().nonnegative().describe('How many passes they were.'),
      })
      .nullable()
      .describe(
        'The passes that repeated the decision in force; null: none did, or they are not recorded yet.',
      ),
  }),
);
export type DecisionsAround = WireOf<typeof decisionsAroundSchema>;

const count = z.int().nonnegative();

/** The policies that flap. */
export const flappingPoliciesSchema = component(
  'FlappingPolicies',
  'The policies whose counts went up and down.',
  z.object({
    policies: z
      .array(
        z.object({
          policy: policyReferenceSchema.describe('The policy whose count went to and fro.'),
          reversals: count.describe('How often a change went the other way than the one before it.'),
          changes: count.describe('How often its count changed in that time.'),
          lowest: count.describe('The smallest count that it had.'),
          highest: count.describe('The largest count that it had.'),
        }),
      )
      .describe('Those with the most reversals first, at most 100.'),
    isComplete: z
      .boolean()
      .describe('false: the newest 20,000 changes were looked through, and there were more.'),
  }),
);
export type FlappingPolicies = WireOf<typeof flappingPoliciesSchema>;

const perStep = z.array(z.number().nullable());
const stepValues = {
  mean: perStep.describe('The mean over the passes of each step.'),
  lowest: perStep.describe('The smallest value of each step.'),
  highest: perStep.describe('The largest value of each step, so that no spike is lost.'),
};
const stepValuesSchema = component(
  'StepValues',
  'A number over time, a value per step; null: no pass of the step saw one.',
  z.object(stepValues),
);

/** What passes saw over time. */
export const policyChartSchema = component(
  'PolicyChart',
  'What passes of a policy saw over time, in steps of equal length.',
  z.object({
    times: z.array(timeText).describe('The beginnings of the steps, RFC 3339.'),
    until: timeText.describe('The end of the last step, RFC 3339.'),
    specReplicas: stepValuesSchema.describe('The count that is asked for: spec.replicas of the target.'),
    statusReplicas: stepValuesSchema.describe('The count that there is: status.replicas of the target.'),
    minReplicas: perStep.describe(
      'Of the policy in force at the end of each step, as it was written; null: none was in force.',
    ),
    maxReplicas: perStep.describe('The upper bound, in the same way as minReplicas.'),
    metrics: z
      .array(
        z.object({
          type: z.string().describe('Resource, External, …; the type of the decision’s report.'),
          name: z.string().describe('What the metric measures: `cpu`, `http_requests`.'),
          measure: z
            .enum(['Utilization', 'AverageValue', 'Value', 'Replicas'])
            .describe('What its values are: percent, a mean per pod, one number, or a recommended count.'),
          targets: perStep.describe('What it is held against; null: watermarks.'),
          lowWatermarks: perStep.describe('Below which the policy scales in; null: it has a target instead.'),
          highWatermarks: perStep.describe(
            'Above which the policy scales out; null: it has a target instead.',
          ),
          ...stepValues,
        }),
      )
      .describe('What the metrics of the policy were, and what they were held against.'),
    isComplete: z
      .boolean()
      .describe(
        'false: there were more than 200,000 passes, and the newest are left out; or the database does not answer, as knownFrom says.',
      ),
    knownFrom: timeText
      .nullable()
      .describe(
        'What was seen earlier is not shown: the database does not answer, and this is what the replica that decides the policy has in memory. null: nothing earlier is missing.',
      ),
  }),
);
export type PolicyChart = WireOf<typeof policyChartSchema>;
