import { z } from 'zod';
import { component, jsonObject, timeText, type WireOf } from './component.ts';
import { interventionSchema } from './intervention.ts';
import { policySchema, rejectedCommitSchema } from './policy.ts';
import { holdSchema } from './source.ts';

const notVisibleHold = component(
  'NotVisibleHold',
  'A hold that a change of the policy is part of, or may be, and that the caller may not see whole.',
  z.object({
    source: z.string().describe('The source that it holds, or of which it holds a tenant.'),
    commit: z.string().describe('The full object name of what is held.'),
    since: timeText.describe('Since when it is held, RFC 3339.'),
    isRejected: z.boolean().describe('It was rejected: nobody is waited for any more.'),
    change: z
      .string()
      .nullable()
      .describe(
        'What it would do to this policy: `changed: maxReplicas 20 → 5`. Null: it does not name all that it changes, so it may.',
      ),
    message: z
      .string()
      .describe('Which role would show all of it: needs viewer of all namespaces of source policies.'),
  }),
);

/** A policy in force with its document. */
export const policyDetailsSchema = component(
  'PolicyDetails',
  'A policy in force with its document.',
  policySchema.extend({
    document: jsonObject.describe('The document, PolicyDefaults applied.'),
    holds: z.array(holdSchema).describe('What would change it, and waits for an approval or was rejected.'),
    notVisibleHolds: z
      .array(notVisibleHold)
      .describe('The same, of which the caller may see no more than what they do to this policy.'),
    interventions: z.array(interventionSchema).describe('Those that act on it now, by their beginning.'),
    rejectedCommit: rejectedCommitSchema
      .nullable()
      .describe('Null: the commit that was looked at last has no errors in its tenant.'),
  }),
);
export type PolicyDetails = WireOf<typeof policyDetailsSchema>;
