import { z } from 'zod';
import { component, replicaCount, timeText, type WireOf } from '../component.ts';
import { commitSchema } from './commit.ts';
import { policyReferenceSchema } from './decision.ts';

/** A change of a target's replica count, ours or another's. */
export const scalingEventSchema = component(
  'ScalingEvent',
  'A change of a target’s replica count: every replica is accounted for.',
  z.object({
    id: z.string(),
    time: timeText,
    policy: policyReferenceSchema,
    origin: z
      .enum(['Plimsoll', 'HorizontalPodAutoscaler', 'External'])
      .describe('HorizontalPodAutoscaler: the native controller, by the policy’s HPA.'),
    autoscaler: z.string().nullable().describe('The policy’s HPA that scaled; null: none did.'),
    manager: z.string().nullable().describe('The field manager that wrote, where it is known.'),
    from: replicaCount,
    to: replicaCount,
    reason: z.string(),
    decisionId: z.string().nullable().describe('The decision that asked for it.'),
    commit: commitSchema.nullable(),
  }),
);
export type ScalingEvent = WireOf<typeof scalingEventSchema>;
