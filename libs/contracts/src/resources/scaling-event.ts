import { z } from 'zod';
import { commitSchema } from './commit.ts';
import { component, replicaCount, timeText, type WireOf } from './component.ts';
import { policyReferenceSchema } from './decision.ts';

/** A change of a target's replica count, ours or another's. */
export const scalingEventSchema = component(
  'ScalingEvent',
  'A change of a target’s replica count: every replica is accounted for.',
  z.object({
    id: z.string().describe('Give it to `/audit-entries/{id}`: `policy:shop/checkout#12`.'),
    time: timeText.describe('When it happened, RFC 3339.'),
    policy: policyReferenceSchema.describe('The policy whose target changed.'),
    origin: z
      .enum(['Plimsoll', 'HorizontalPodAutoscaler', 'External'])
      .describe(
        'Who changed the count. HorizontalPodAutoscaler: the native controller, by the policy’s HPA.',
      ),
    autoscaler: z.string().nullable().describe('The policy’s HPA that scaled; null: none did.'),
    manager: z.string().nullable().describe('The field manager that wrote, where it is known.'),
    from: replicaCount.describe('The count of replicas before.'),
    to: replicaCount.describe('The count of replicas from then on.'),
    reason: z.string().describe('Why it changed, in a sentence.'),
    decisionId: z.string().nullable().describe('The decision that asked for it.'),
    commit: commitSchema
      .nullable()
      .describe('The commit that put the policy in force, of a change of Plimsoll’s; null of another’s.'),
  }),
);
export type ScalingEvent = WireOf<typeof scalingEventSchema>;
