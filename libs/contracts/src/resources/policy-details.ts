import { z } from 'zod';
import { component, jsonObject, type WireOf } from '../component.ts';
import { interventionSchema } from './intervention.ts';
import { policySchema, rejectedCommitSchema } from './policy.ts';
import { holdSchema } from './source.ts';

/** A policy in force with its document. */
export const policyDetailsSchema = component(
  'PolicyDetails',
  'A policy in force with its document.',
  policySchema.extend({
    document: jsonObject.describe('The document, PolicyDefaults applied.'),
    holds: z.array(holdSchema).describe('What would change it, and waits for an approval or was rejected.'),
    interventions: z.array(interventionSchema).describe('Those that act on it now, by their beginning.'),
    rejectedCommit: rejectedCommitSchema
      .nullable()
      .describe('Null: the commit that was looked at last has no errors in its tenant.'),
  }),
);
export type PolicyDetails = WireOf<typeof policyDetailsSchema>;
