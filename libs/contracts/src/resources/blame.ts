import { z } from 'zod';
import { auditEntrySchema } from './audit-entry.ts';
import { commitSchema, policyOriginSchema, pullRequestSchema } from './commit.ts';
import { component, jsonObject, timeText, type WireOf } from './component.ts';
import { decisionSchema } from './decision.ts';
import { pastInterventionSchema } from './intervention.ts';
import { revisionSchema } from './source.ts';

const removalOperator = component(
  'RemovalOperator',
  'Who took a policy out of force, in place of a commit.',
  z.object({
    action: z.string().describe('ReleasePolicy or RollBackSource, as its OperatorAction is named.'),
    by: z.string().describe('The person that did it.'),
    reason: z.string().describe('What that person wrote.'),
  }),
);

const allowingAction = component(
  'AllowingAction',
  'What an operator did without which something would not have come into force, or left it.',
  z.object({
    action: z
      .enum(['ApproveHold', 'RollBackSource', 'ResumeSource'])
      .describe('As its OperatorAction is named. ResumeSource: of the source, or of the policy alone.'),
    by: z.string().describe('The person that did it, whichever token it came with.'),
    reason: z
      .string()
      .describe('What that person wrote; empty where an earlier release resumed, and kept none.'),
    time: timeText
      .nullable()
      .describe('When it was done, RFC 3339; null where an earlier release resumed, and kept none.'),
    digest: z.string().nullable().describe('Of the hold that was approved; null: it was another action.'),
  }),
);

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
    removedBy: commitSchema
      .nullable()
      .describe(
        'The commit that left it out; null: it did not leave, left otherwise (an operator released it or rolled back, its source was removed), or that commit is not known.',
      ),
    removedByOperator: removalOperator
      .nullable()
      .describe(
        'Who released it or rolled it back; null: nobody did, an earlier release did not keep it, or it is not known.',
      ),
    removalAllowedBy: z
      .array(allowingAction)
      .nullable()
      .describe(
        'What operators did without which it would not have left: approvals of holds, a resumption; a rollback is in removedByOperator. Empty: nothing was needed. Null: it did not leave by a revision, an earlier release did not keep it, it is not known, or the caller may not view all of its source.',
      ),
    allowedBy: z
      .array(allowingAction)
      .nullable()
      .describe(
        'What operators did without which it would not have come into force: approvals of holds, a rollback, a resumption. Empty: nothing was needed. Null: an earlier release put it into force and did not keep it, it is not known, or the caller may not view all of its source.',
      ),
    document: jsonObject.describe('The document, PolicyDefaults applied.'),
  }),
);
export type PolicyVersion = WireOf<typeof policyVersionSchema>;

const notVisible = component(
  'NotVisible',
  'A part that is left out since the caller may not see it, whether or not there is anything to see.',
  z.object({
    part: z.enum(['Revision', 'AllowedBy', 'Sync', 'Review']).describe('What is left out.'),
    source: z
      .string()
      .nullable()
      .describe('The source whose namespaces it is about; null: all namespaces there are.'),
    message: z
      .string()
      .describe('Which role would show it, where: needs viewer of all namespaces of source policies.'),
  }),
);

/** Everything that stands behind a decision, and that followed from it. */
export const blameSchema = component(
  'Blame',
  'What stands behind a decision: version, commit, revision and sync; and what was written to Kubernetes.',
  z.object({
    decision: decisionSchema.describe('The decision that was asked about.'),
    version: policyVersionSchema.nullable().describe('The policy as it was in force.'),
    change: auditEntrySchema.nullable().describe('The PolicyChange by which that version came into force.'),
    revision: revisionSchema
      .nullable()
      .describe(
        'The judgement by which that version came into force; after a rollback that of the commit gone back to. Null: it is not known, or the caller may not view all of its source.',
      ),
    allowedBy: z
      .array(allowingAction)
      .nullable()
      .describe(
        'What operators did without which that version would not have come into force: approvals of holds, a rollback, a resumption. Empty: nothing was needed. Null: an earlier release put it into force and did not keep it, it is not known, or the caller may not view all of its source.',
      ),
    interventions: z
      .array(pastInterventionSchema)
      .nullable()
      .describe(
        'Those that stood as it was decided, whatever their scope and whether or not they had a part in it, those that began last first. Null: more was done to the scopes of the policy than is looked through.',
      ),
    sync: auditEntrySchema
      .nullable()
      .describe(
        'The SyncRun that put that version into force; null: it is not recorded, or the caller may not view every namespace.',
      ),
    pullRequest: pullRequestSchema
      .nullable()
      .describe('Who allowed the commit; null: nothing is known (yet).'),
    review: auditEntrySchema.nullable().describe('A CommitReview: what the forge said of that.'),
    notVisible: z
      .array(notVisible)
      .describe('Which of these are null since the caller may not see them; empty: none is.'),
    intents: z.array(auditEntrySchema).describe('What was announced to be written.'),
    outcomes: z.array(auditEntrySchema).describe('What became of it.'),
  }),
);
export type Blame = WireOf<typeof blameSchema>;
