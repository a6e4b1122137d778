import { z } from 'zod';
import { component, replicaCount, timeText, type WireOf } from './component.ts';
import { interventionSchema } from './intervention.ts';
import { policyNameSchema, policyPictureSchema, scaleTargetSchema } from './policy.ts';

const policyEffect = component(
  'PolicyEffect',
  'What an action does to one policy.',
  z.object({
    policy: policyNameSchema.describe('The policy that is affected.'),
    target: scaleTargetSchema.nullable().describe('What it scales; null: it has left already.'),
    labels: z.record(z.string(), z.string()).describe('The labels of its document.'),
    present: replicaCount.nullable().describe('`spec.replicas` of what it scales now; null: not known.'),
    changes: z.array(z.string()).describe('What of its document changes: `maxReplicas 20 → 5`.'),
    now: policyPictureSchema
      .nullable()
      .describe('How it is carried out before the action; null: it is not in force.'),
    then: policyPictureSchema
      .nullable()
      .describe('How it is carried out afterwards; null: it is not in force any more.'),
    direction: z
      .enum(['Up', 'Down', 'None', 'Unknown'])
      .describe('Which way the count goes at once; Unknown: the present count is not known.'),
    notes: z.array(z.string()).describe('What the action cannot do here, in sentences.'),
    later: z
      .array(z.string())
      .describe(
        'Of the notes those that tell a count which follows later: `40 → 10 when the suspension by ann ends, …`.',
      ),
  }),
);

/** What an action would do now. */
export const actionEffectSchema = component(
  'ActionEffect',
  'What an action would do now.',
  z.object({
    action: z.string().describe('The ledger’s name of the action.'),
    summary: z.string().describe('What the action does, in a sentence.'),
    policies: z.array(policyEffect).describe('At most 100, by name.'),
    changes: z
      .array(z.string())
      .describe('Policies that come, change or leave, at most 200: `shop/c changed: maxReplicas 20 → 5`.'),
    total: z.int().describe('Policies that it is about.'),
    until: timeText.nullable().describe('When it ends by itself.'),
    digest: z.string().describe('Names exactly this effect: `confirm` is compared with it.'),
    requires: z
      .object({
        role: z
          .enum(['viewer', 'operator', 'approver', 'admin'])
          .describe('The least role that may do it, in the namespaces that it is about.'),
        confirm: z.boolean().describe('Whether `confirm` must be the digest.'),
        force: z.boolean().describe('Whether `force` must be true.'),
      })
      .describe('What the caller needs for it.'),
    problems: z.array(z.string()).describe('What guardrails and the limits of the tenant say against it.'),
    standing: z
      .array(interventionSchema)
      .describe('What operators did before to the same policies, and what still stands; at most 100.'),
  }),
);
export type ActionEffect = WireOf<typeof actionEffectSchema>;

/** The answer to a dry run of a request. */
export const actionPreviewSchema = component(
  'ActionPreview',
  'The answer to a dry run of a request: nothing has changed, and nothing is recorded.',
  z.object({
    effect: actionEffectSchema.describe('What would happen if it were carried out at this moment.'),
  }),
);
export type ActionPreview = WireOf<typeof actionPreviewSchema>;

/** The answer of an action that takes `dryRun`. */
export function orPreview<T extends z.ZodType>(answer: T): z.ZodUnion<[T, typeof actionPreviewSchema]> {
  return z.union([answer, actionPreviewSchema]);
}
