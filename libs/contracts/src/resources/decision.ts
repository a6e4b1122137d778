import { z } from 'zod';
import { decisionActions } from '../choices.ts';
import { component, jsonObject, replicaCount, timeText, type WireOf } from '../component.ts';
import { commitSchema } from './commit.ts';
import { conditionSchema } from './policy.ts';

const policyReference = z.object({ namespace: z.string(), name: z.string() });

/** The policy that something belongs to. */
export const policyReferenceSchema = component(
  'PolicyReference',
  'The policy that it belongs to.',
  policyReference,
);

const reasonedMessage = component(
  'ReasonedMessage',
  'A reason in machine and in human words.',
  z.object({ reason: z.string(), message: z.string() }),
);

const step = component(
  'DecisionStep',
  'One step of the waterfall: a rule that was consulted; the last `after` is desiredReplicas.',
  z.object({
    rule: z.string().describe('The rule’s id in the decision contract.'),
    before: z.int().nullable(),
    after: z.int().nullable(),
    because: z.string().describe('Why, with the figures in it.'),
  }),
);

const names = z.array(z.string());

const metricPods = component(
  'MetricPods',
  'The pods of one metric, by name.',
  z.object({
    considered: names,
    ready: names,
    unready: names,
    missing: names,
    ignored: names,
    filteredOut: z.array(
      z.object({
        pod: z.string(),
        reason: z.string().describe('NoOwner, OwnerNotFound, OtherOwner or ChainTooDeep.'),
      }),
    ),
  }),
);

const metric = component(
  'DecisionMetric',
  'What one metric of the policy proposed.',
  z.object({
    type: z.string(),
    name: z.string(),
    target: jsonObject.describe('The target, as the native policy form writes it.'),
    current: jsonObject.describe('averageUtilization, averageValue, value: those that were computed.'),
    proposedReplicas: z.int().nullable(),
    error: reasonedMessage.nullable(),
    pods: metricPods,
  }),
);

const selection = component(
  'DecisionSelection',
  'How pods were selected.',
  z.object({
    requested: z.string(),
    effective: z.string(),
    fallback: reasonedMessage
      .nullable()
      .describe('Why the filter fell back to all pods that the labels match.'),
  }),
);

/** A decision of the ledger, as lists have it. */
export const decisionSchema = component(
  'Decision',
  'A decision: what, why, and which commit allowed it.',
  z.object({
    id: z.string(),
    time: timeText,
    policy: policyReferenceSchema,
    currentReplicas: replicaCount.nullable().describe('Null: the scale could not be read.'),
    desiredReplicas: replicaCount.nullable(),
    action: z.enum(decisionActions).describe('None: decided for the present count. Hold: could not decide.'),
    reason: z.string(),
    selection,
    metrics: z.array(metric),
    steps: z.array(step).describe('The complete waterfall.'),
    conditions: z.array(conditionSchema),
    departures: z
      .array(z.string())
      .describe('How the native controller acts otherwise, where the policy is rendered into an HPA.'),
    commit: commitSchema.nullable().describe('The commit that put the policy in force.'),
    engineVersion: z
      .string()
      .describe('The version of the rules that decided; another one may decide otherwise.'),
  }),
);
export type Decision = WireOf<typeof decisionSchema>;

/** A decision with what it was made from. */
export const decisionDetailsSchema = component(
  'DecisionDetails',
  'A decision with its complete input.',
  decisionSchema.extend({
    input: jsonObject.describe(
      'Policy, settings, observation and memory: `plimsoll replay` recomputes the decision.',
    ),
  }),
);
export type DecisionDetails = WireOf<typeof decisionDetailsSchema>;
