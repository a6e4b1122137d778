import { z } from 'zod';
import { decisionActions } from '../choices.ts';
import { commitSchema } from './commit.ts';
import { component, jsonObject, replicaCount, timeText, type WireOf } from './component.ts';
import { conditionSchema } from './policy.ts';

const policyReference = z.object({
  namespace: z.string().describe('The namespace that the policy, and what it scales, lives in.'),
  name: z.string().describe('What the policy is called, within its namespace.'),
});

/** The policy that something belongs to. */
export const policyReferenceSchema = component(
  'PolicyReference',
  'The policy that it belongs to.',
  policyReference,
);

const reasonedMessage = component(
  'ReasonedMessage',
  'A reason in machine and in human words.',
  z.object({
    reason: z.string().describe('A word in CamelCase that programs go by.'),
    message: z.string().describe('A sentence for people, with the figures in it.'),
  }),
);

const step = component(
  'DecisionStep',
  'One step of the waterfall: a rule that was consulted; the last `after` is desiredReplicas.',
  z.object({
    rule: z.string().describe('The rule’s id in the decision contract.'),
    before: z.int().nullable().describe('The count before the rule; null: there was none yet.'),
    after: z.int().nullable().describe('The count that the rule leads to; null: none could be decided.'),
    because: z
      .string()
      .describe(
        'Why, with the figures in it, as it is recorded: what pods request is in cores of cpu, and in bytes of memory.',
      ),
  }),
);

const names = z.array(z.string());

const metricPods = component(
  'MetricPods',
  'The pods of one metric, by name.',
  z.object({
    considered: names.describe(
      'All pods that were selected for the metric: each is in exactly one of the next four lists.',
    ),
    ready: names.describe('Those whose samples count.'),
    unready: names.describe('Those that start or are not ready, whose samples are not believed.'),
    missing: names.describe('Those that have no sample.'),
    ignored: names.describe('Those that are being deleted or have failed.'),
    filteredOut: z
      .array(
        z.object({
          pod: z.string().describe('Its name in Kubernetes.'),
          reason: z.string().describe('NoOwner, OwnerNotFound, OtherOwner or ChainTooDeep.'),
        }),
      )
      .describe('Those that the label selector found and the owner filter left out.'),
  }),
);

const metric = component(
  'DecisionMetric',
  'What one metric of the policy proposed.',
  z.object({
    type: z
      .string()
      .describe('Resource, ContainerResource, Pods, Object, External, Prometheus or Recommender.'),
    name: z.string().describe('What the metric measures: `cpu`, `http_requests`.'),
    target: jsonObject.describe('The target, as the native policy form writes it.'),
    current: jsonObject.describe('averageUtilization, averageValue, value: those that were computed.'),
    proposedReplicas: z
      .int()
      .nullable()
      .describe(
        'The count that this metric alone asks for, before stabilization and limits; null: it could not be computed.',
      ),
    error: reasonedMessage.nullable().describe('Why it proposes nothing; null: it could be computed.'),
    pods: metricPods.describe('Which pods were counted, and which not.'),
  }),
);

const selection = component(
  'DecisionSelection',
  'How pods were selected.',
  z.object({
    requested: z.string().describe('The strategy that the policy asks for: LabelSelector or OwnerReference.'),
    effective: z
      .string()
      .describe('The strategy that was applied; LabelSelector where owners could not be read.'),
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
    id: z.string().describe('Give it to `/decisions/{id}`: `policy:shop/checkout#12`.'),
    time: timeText.describe('When it was decided, RFC 3339.'),
    policy: policyReferenceSchema.describe('The policy that was decided for.'),
    currentReplicas: replicaCount
      .nullable()
      .describe('spec.replicas of the target before the decision; null: the scale could not be read.'),
    desiredReplicas: replicaCount
      .nullable()
      .describe('The count that was decided; null: none could be, and the present one stays.'),
    action: z.enum(decisionActions).describe('None: decided for the present count. Hold: could not decide.'),
    reason: z.string().describe('Why, in one sentence; `steps` has the way there.'),
    selection: selection.describe('How pods were selected for the metrics.'),
    metrics: z.array(metric).describe('What each metric of the policy proposed, in the policy’s order.'),
    steps: z.array(step).describe('The complete waterfall: every rule that was consulted, in order.'),
    conditions: z.array(conditionSchema).describe('Upstream’s conditions of the policy after this decision.'),
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

/** A decision without how it came about: what is read many times faster. */
export const decisionSummarySchema = component(
  'DecisionSummary',
  'What was decided, and the reason in a sentence.',
  decisionSchema.pick({
    id: true,
    time: true,
    policy: true,
    currentReplicas: true,
    desiredReplicas: true,
    action: true,
    reason: true,
  }),
);
export type DecisionSummary = WireOf<typeof decisionSummarySchema>;

/** A decision with what it was made from. */
export const decisionDetailsSchema = component(
  'DecisionDetails',
  'A decision, with its complete input unless that is left out.',
  decisionSchema.extend({
    input: jsonObject
      .optional()
      .describe(
        'Policy, settings, observation and memory: `plimsoll replay` recomputes the decision. Absent with `without=input`.',
      ),
  }),
);
export type DecisionDetails = WireOf<typeof decisionDetailsSchema>;
