import { z } from 'zod';
import { policyStates } from '../choices.ts';
import { component, jsonObject, replicaCount, timeText, type WireOf } from '../component.ts';
import { policyOriginSchema } from './commit.ts';

const namespaceForm = /^[a-z0-9][a-z0-9-]{0,62}$/;
const nameForm = /^[a-z0-9][a-z0-9.-]{0,252}$/;

/** The name of a namespace. */
export const namespaceText = z
  .string()
  .regex(namespaceForm, 'the name of a namespace: lower-case letters, digits and -');

/** What a policy is named by in paths and bodies. */
export const policyNameSchema = component(
  'PolicyName',
  'The name of a policy.',
  z.strictObject({
    namespace: namespaceText,
    name: z.string().regex(nameForm, 'the name of a policy: lower-case letters, digits, - and .'),
  }),
);

/** A condition in Kubernetes' form. */
export const conditionSchema = component(
  'Condition',
  'A condition, in Kubernetes’ form.',
  z.object({
    type: z.string(),
    status: z.string().describe('True, False or Unknown.'),
    reason: z.string(),
    message: z.string().nullable(),
    lastTransitionTime: timeText,
  }),
);

/** The object that a policy scales. */
export const scaleTargetSchema = component(
  'ScaleTarget',
  'The object that a policy scales; it is in the policy’s namespace.',
  z.object({ apiVersion: z.string(), kind: z.string(), name: z.string() }),
);

/** What the latest pass over a policy came to. */
export const policyStatusSchema = component(
  'PolicyStatus',
  'What the latest pass over the policy came to.',
  z.object({
    outcome: z.string().describe('Done, Waiting, Stalled, Failed or Bug: what happens next.'),
    reason: z.string(),
    message: z.string(),
    time: timeText.describe(
      'When the pass ended; of a policy that another replica decides, when its state was stored. RFC 3339.',
    ),
    replicas: replicaCount.nullable().describe('spec.replicas after the pass; null: unreadable.'),
    statusReplicas: replicaCount.nullable().describe('status.replicas after the pass; null: unreadable.'),
    conditions: z.array(conditionSchema),
  }),
);

/** A policy in force, as lists have it. */
export const policySchema = component(
  'Policy',
  'A policy in force, with every default filled in.',
  z.object({
    id: z.string(),
    namespace: z.string(),
    name: z.string(),
    kind: z.string().describe('The kind of the document it was written as.'),
    target: scaleTargetSchema,
    actuation: z.string().describe('Scale or HorizontalPodAutoscaler.'),
    enabled: z.boolean(),
    dryRun: z.boolean(),
    minReplicas: replicaCount,
    maxReplicas: replicaCount,
    selectionStrategy: z.string(),
    intervalSeconds: z.number(),
    origin: policyOriginSchema,
    states: z
      .array(z.enum(policyStates))
      .describe('What may be said of it now, beside how its latest pass ended.'),
    status: policyStatusSchema.nullable().describe('Null until its first pass ends.'),
  }),
);
export type Policy = WireOf<typeof policySchema>;

/** A policy in force with its document. */
export const policyDetailsSchema = component(
  'PolicyDetails',
  'A policy in force with its document.',
  policySchema.extend({ document: jsonObject.describe('The document, PolicyDefaults applied.') }),
);
export type PolicyDetails = WireOf<typeof policyDetailsSchema>;
