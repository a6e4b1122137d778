import { z } from 'zod';
import { component, givenTime, replicaCount, timeText, type WireOf } from '../component.ts';
import { namespaceText, policyNameSchema } from './policy.ts';
import { sourceNameText } from './source.ts';

/** `metrics.k8s.io`, `prometheus/main`, `recommender/HOST`. */
const metricSourceText = z.string().min(1).max(300);

const scopeSchema = component(
  'InterventionScope',
  'Which policies an intervention is for.',
  z.discriminatedUnion('kind', [
    policyNameSchema.extend({ kind: z.literal('Policy') }),
    z.strictObject({ kind: z.literal('Namespace'), namespace: namespaceText }),
    z.strictObject({ kind: z.literal('Source'), source: sourceNameText }),
    z.strictObject({
      kind: z.literal('MetricSource'),
      metricSource: metricSourceText.describe('Policies with a metric of this source.'),
    }),
    z.strictObject({ kind: z.literal('Cluster') }),
  ]),
);

const direction = z.enum(['Up', 'Down', 'Both']);

const standing = {
  id: z.string(),
  scope: scopeSchema,
  reason: z.string(),
  actor: z.string(),
  since: timeText,
  expires: timeText.describe('At this moment it no longer acts.'),
};

const counts = {
  minReplicas: replicaCount.describe('In place of the policy’s own.'),
  maxReplicas: replicaCount.describe('In place of the policy’s own.'),
  replicas: replicaCount.describe('A pin: in place of what the policy decides, within the bounds.'),
};

/** A suspension, an override or a dry run that has begun and not ended. */
export const interventionSchema = component(
  'Intervention',
  'A suspension of a direction, an override of bounds or count, or a dry run, that has begun and not ended.',
  z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('Suspend'), ...standing, direction }),
    z.object({
      kind: z.literal('Override'),
      ...standing,
      minReplicas: counts.minReplicas.nullable(),
      maxReplicas: counts.maxReplicas.nullable(),
      replicas: counts.replicas.nullable(),
    }),
    z.object({ kind: z.literal('DryRun'), ...standing }),
  ]),
);
export type Intervention = WireOf<typeof interventionSchema>;

/** A sentence for the readers of the ledger. */
export const reasonText = z
  .string()
  .min(1)
  .max(1_000)
  .describe('A sentence for the readers of the ledger; mandatory, but for a dry run.');

const terms = {
  expires: givenTime.describe('RFC 3339 with its zone; at most `interventions.maximumHours` (24) from now.'),
  reason: reasonText.optional(),
};

/** What begins an intervention. */
export const interventionRequestSchema = component(
  'InterventionRequest',
  'What is to begin: a suspension of a direction, an override of one policy’s bounds or count, or a dry run.',
  z.discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('Suspend'), scope: scopeSchema, direction, ...terms }),
    z.strictObject({
      kind: z.literal('Override'),
      policy: policyNameSchema,
      minReplicas: counts.minReplicas.optional(),
      maxReplicas: counts.maxReplicas.optional(),
      replicas: counts.replicas.optional(),
      force: z
        .boolean()
        .optional()
        .describe('Also outside guardrails and the limits of the tenant. Role admin; recorded as Forced.'),
      ...terms,
    }),
    z.strictObject({ kind: z.literal('DryRun'), scope: scopeSchema, ...terms }),
  ]),
);
export type InterventionRequest = WireOf<typeof interventionRequestSchema>;
