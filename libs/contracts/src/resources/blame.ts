import { z } from 'zod';
import { component, jsonObject, timeText, type WireOf } from '../component.ts';
import { auditEntrySchema } from './audit-entry.ts';
import { policyOriginSchema, pullRequestSchema } from './commit.ts';
import { decisionSchema } from './decision.ts';
import { revisionSchema } from './source.ts';

/** A policy as it was in force for a time. */
export const policyVersionSchema = component(
  'PolicyVersion',
  'A policy as it was in force for a time.',
  z.object({
    origin: policyOriginSchema.describe('The commit and the file that it came from.'),
    validFrom: timeText.describe('From when on it was in force, RFC 3339.'),
    validTo: timeText.nullable().describe('Until when it was in force, RFC 3339; null: it still is.'),
    departure: z
      .string()
      .nullable()
      .describe('How it left: Pruned, Kept, Released, RolledBack or SourceRemoved; null: it did not.'),
    document: jsonObject.describe('The document, PolicyDefaults applied.'),
  }),
);
export type PolicyVersion = WireOf<typeof policyVersionSchema>;

/** Everything that stands behind a decision, and that followed from it. */
export const blameSchema = component(
  'Blame',
  'What stands behind a decision: version, commit, revision and sync; and what was written to Kubernetes.',
  z.object({
    decision: decisionSchema.describe('The decision that was asked about.'),
    version: policyVersionSchema.nullable().describe('The policy as it was in force.'),
    change: auditEntrySchema.nullable().describe('The PolicyChange by which that version came into force.'),
    revision: revisionSchema.nullable().describe('What the commit went through.'),
    sync: auditEntrySchema.nullable().describe('The SyncRun that took the commit up.'),
    pullRequest: pullRequestSchema
      .nullable()
      .describe('Who allowed the commit; null: nothing is known (yet).'),
    review: auditEntrySchema.nullable().describe('A CommitReview: what the forge said of that.'),
    intents: z.array(auditEntrySchema).describe('What was announced to be written.'),
    outcomes: z.array(auditEntrySchema).describe('What became of it.'),
  }),
);
export type Blame = WireOf<typeof blameSchema>;
