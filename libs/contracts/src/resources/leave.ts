import { z } from 'zod';
import { component, jsonObject, type WireOf } from './component.ts';
import { reasonText } from './intervention.ts';
import { policyNameSchema } from './policy.ts';

/** What carries targets on when Plimsoll leaves them. */
export const leaveTargets = ['HorizontalPodAutoscaler', 'None'] as const;
export const leaveTarget = z
  .enum(leaveTargets)
  .describe('HorizontalPodAutoscaler: a plain one per policy. None: counts stay, and nothing scales them.');

/** Everything is left. */
export const leaveRequestSchema = z.strictObject({ to: leaveTarget, reason: reasonText.optional() });

/** A policy that leaves, or has left. */
export const leavingPolicySchema = component(
  'LeavingPolicy',
  'A policy that leaves with all others, or has left, and the plain HPA that it is left to.',
  z.object({
    policy: policyNameSchema.describe('The policy that is left.'),
    source: z.string().describe('The repository, as the configuration names it.'),
    isInForce: z.boolean().describe('false: it has been released already.'),
    manifest: jsonObject
      .nullable()
      .describe(
        'The HPA, to apply; null: none is wanted, another HPA scales the target, or none does what the policy says.',
      ),
    gaps: z.array(z.string()).describe('What the HPA does not say, or why there is none, in sentences.'),
  }),
);
export type LeavingPolicy = WireOf<typeof leavingPolicySchema>;

/** What leaving came to. */
export const leaveReportSchema = component(
  'LeaveReport',
  'What a request to leave came to.',
  z.object({
    policies: z
      .array(
        z.object({
          policy: policyNameSchema.describe('The policy that was left.'),
          result: z
            .enum(['Done', 'Blocked', 'Waiting'])
            .describe(
              'Blocked: it is left without what was asked for. Waiting: the same request goes on with it.',
            ),
          message: z.string().describe('What was done, or why not, in a sentence.'),
        }),
      )
      .describe('What became of each, by name.'),
    waiting: z.int().describe('How many the same request, made again, goes on with.'),
    endedInterventions: z.int().describe('Interventions end once nothing waits.'),
  }),
);
export type LeaveReport = WireOf<typeof leaveReportSchema>;
